"""What happens in the fortnight, night by night: the vehicle, the clocks, the supply, the server, and people."""
import calendar, math, time

# A Monday, 2035-10-29, midnight UTC. Later than any release of ours: an earlier GPS date counts as a week rollover.
FIRST = calendar.timegm((2035, 10, 29, 0, 0, 0))
DAY = 86_400
# UTC. Sundays are off, and so is each night and noon.
WINDOWS = [(7 * 3600, 7 * 3600 + 1800), (17 * 3600, 17 * 3600 + 1200)]
SCHEDULE = ["mon-sat 07:00-07:30", "mon-sat 17:00-17:20"]
# Within each window, from its beginning: so long it stands, and so long it drives.
STANDS_S, DRIVES_S = 300, 480
# Firmware and boot loader, before the kernel's clock runs.
FIRMWARE_S = 8
STEP_S = 10
# By the number of the sleep, from 0.
EVENTS = {
    1: "asked",  # in the window somebody asks status, schedule and doctor
    2: "ahead",  # before it the system's clock is set an hour ahead for ten minutes
    4: "power",  # the supply is cut while it sleeps, and back three hours before the alarm
    6: "back",  # before it the clock is set a day back for ten minutes
    8: "lost",  # the alarm is lost: somebody switches the board on twenty minutes into the window
    10: "cut",  # the supply is cut between the order and the end
    12: "person",  # somebody is logged in for half an hour
    14: "server",  # the server is away from before the window's end until after the wake
    16: "rtc",  # the clock with the alarm has lost forty seconds
    18: "killed",  # the agent is killed with the alarm set, and started again
}


def windows(days):
    """[(open, close)], Unix seconds."""
    return [
        (FIRST + day * DAY + begin, FIRST + day * DAY + end)
        for day in range(days) if day % 7 != 6 for begin, end in WINDOWS]


def track(begin, end):
    """The vehicle as GPX, a point every 10 s: it goes round a lake at 14 m/s in each window, and stands else."""
    drives = [(opens + STANDS_S, opens + STANDS_S + DRIVES_S) for opens, _ in windows(15)]
    driven = sum(DRIVES_S for drive in drives if drive[1] <= begin)
    angle, points = driven * 14 / 5000, []
    for seconds in range(int(begin), int(end), STEP_S):
        if any(first <= seconds < last for first, last in drives):
            angle += 14 * STEP_S / 5000
        latitude, longitude = 47.0 + 0.045 * math.sin(angle), 8.5 + 0.066 * math.cos(angle)
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
        points.append(f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}"><ele>400</ele><time>{when}</time></trkpt>')
    return '<?xml version="1.0"?><gpx version="1.1"><trk><trkseg>' + "\n".join(points) + "</trkseg></trk></gpx>"


def clock(seconds):
    return time.strftime("%a %d %H:%M:%S", time.gmtime(seconds))
