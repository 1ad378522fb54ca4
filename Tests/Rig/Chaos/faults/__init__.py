"""All that can happen. Each fault is a generator function: what it does before each `yield` happens at once, what it
yields is how many seconds pass. When it ends, its cause has gone, and the recovery is timed from there.

A fault declares what it touches (two of an episode touch different things), which numbers of the list of faults it
stands for, which warning must name it, and what it disturbs, so that an invariant is not judged while it lasts:

    gps      no fixes can come, or wrong ones (N5)
    process  the process ends by the rig's hand, or refuses to start: exit codes in `codes` (N5, trap, watchdog)
    hang     the process is held: 20 s instead of 5 s for the power line (N3), no answers
    loop     the control socket need not answer
    window   what the window is, is not sure (N3)
    loss     records may be missing if this is told (N1)
    ring     fixes that were held until the vehicle counts as moving may be gone, as with a reload (N5)
    load     the agent has more to do than usual (N9: CPU)
    ids      records may get another queue id while they wait (N1)
"""
ALL = []
DISTURBANCES = {"gps", "process", "hang", "loop", "window", "loss", "ring", "load", "ids"}


def fault(touches, numbers="", told=(), disturbs=(), codes=(), begins=False, root=False, weight=2):
    """`begins`: it is there before the agent starts. `told`: one of these warnings must come."""
    def declare(function):
        assert set(disturbs) <= DISTURBANCES
        function.label = function.__name__.replace("_", "-")
        function.touches, function.numbers = set(touches.split()), numbers
        function.told, function.disturbs, function.codes = set(told), set(disturbs), set(codes)
        function.begins, function.root, function.weight = begins, root, weight
        ALL.append(function)
        return function
    return declare


def until(test, most_s, every_s=0.1):
    """To be used as `yield from until(…)`: passes time until the test holds."""
    waited = 0.0
    while not test() and waited < most_s:
        yield every_s
        waited += every_s


def stopped(vehicle, number=9):
    """`yield from stopped(vehicle)`: the agent is ended, and does not come back by itself."""
    vehicle.supervisor.end(number, "kill" if number == 9 else "stop")
    yield from until(vehicle.supervisor.is_down, 30)


from . import clock, gps, network, process, remote, settings, storage  # noqa: E402,F401
