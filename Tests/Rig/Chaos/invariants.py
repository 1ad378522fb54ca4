"""The invariants, each a function of an episode that has ended; it yields what is wrong, in words."""
import collections, re, sqlite3

from .orders import begun
from .episode import RECOVERY_S, STOP_S
from .receiver import COORDINATE, SPEED_MPS
from .server import TOKEN

POWER_OFF_S, POWER_OFF_HELD_S = 5, 20
ANSWER_S = 4
# Until fixes are kept again: after a start, and after gpsd was away.
START_S, RECONNECT_S = 4, 12
# From a start until the vehicle is known to move, at the latest.
DECISION_S = 12
RESIDENT_MB, DESCRIPTORS, CPU_SHARE = 150, 100, 0.6
SPIN_S = 5
# Above this a jump in the numbers is the agent's own: it could not read the queue, and numbers by the clock.
JUMP = 900_000

ALL = []


def invariant(name):
    def declare(function):
        function.label = name
        ALL.append(function)
        return function
    return declare


def judge(episode):
    """[(invariant, words)]"""
    found = list(episode.blamed)
    for check in ALL:
        found += [(check.label, words) for words in check(episode)]
    return found


# MARK: What is known of an episode

def spans(episode, disturbance, before_s=0.0, after_s=0.0):
    """[(begin, end)] in which it is disturbed."""
    now = episode.vehicle.now()
    return [
        (span.begin - before_s, (span.end or now) + after_s + episode.vehicle.machine.stalled(span.begin))
        for span in episode.spans if disturbance in span.fault.disturbs]


def is_inside(when, ranges):
    return any(begin <= when <= end for begin, end in ranges)


def overlaps(begin, end, ranges):
    return any(begin <= last and first <= end for first, last in ranges)


def may(episode, disturbance):
    return any(disturbance in span.fault.disturbs for span in episode.spans)


def warnings(episode):
    told = set(episode.vehicle.poller.warnings)
    for status in episode.vehicle.server.statuses:
        told |= set(status.get("warnings", {}))
    return told


def journal(episode):
    return episode.vehicle.supervisor.journal.text


def stored(episode):
    return {(queue, sequence): record for (_, queue, sequence), record in episode.vehicle.server.stored.items()}


# MARK: Records

@invariant("N1")
def nothing_lost(episode):
    """What was seen committed is at the server, in the queue, refused, or in the ledger"""
    vehicle = episode.vehicle
    there = set(stored(episode)) | set(episode.remaining or {})
    known = {episode.known_by(key) for key in there}
    missing = sorted(
        key for key, (seen, _) in vehicle.poller.witnessed.items()
        if episode.known_by(key) not in known and not episode.may_be_lost(seen))
    excuse = episode.set_aside()
    if len(missing) > excuse:
        yield f"{len(missing)} committed records are nowhere, {excuse} counted: {missing[:5]}"
    # Another id goes on with the numbers.
    numbers = sorted({number for _, number in there})
    holes = sum(after - before - 1 for before, after in zip([0, *numbers], numbers) if after - before < JUMP)
    if holes > excuse and not may(episode, "loss"):
        yield f"{holes} numbers of 1 to {numbers[-1]} are missing, {excuse} counted"
    if episode.remaining is None and vehicle.is_looked_over:
        yield "the queue cannot be exported after the end"


@invariant("N2")
def stored_once(episode):
    """A record that is sent again is the same; no position comes under two numbers"""
    conflicts = episode.vehicle.server.conflicts
    # What a damaged log had is not known any more: its numbers are given again.
    if conflicts and "-wal" not in episode.vehicle.damaged:
        yield f"{len(conflicts)} records came again and differ: {conflicts[:5]}"
    for key, (_, seen) in episode.vehicle.poller.witnessed.items():
        record = stored(episode).get(key) if key not in conflicts else None
        if record and record["latitude"] != seen["latitude"]:
            yield f"record {key[1]} is another than the one that was committed"
            return
    places = [
        (record["timestamp"], record["latitude"], record["longitude"]) for record in stored(episode).values()
        if record.get("event") == ""]
    if len(places) != len(set(places)) and not may(episode, "loss"):
        yield f"{len(places) - len(set(places))} positions came under two numbers"


# MARK: Power

@invariant("N3")
def power_goes_off(episode):
    """The line is low 5 s after the window's end or the process's death, 20 s after a hang"""
    vehicle = episode.vehicle
    high = vehicle.power.high(vehicle.now())
    held = spans(episode, "hang")
    for life in vehicle.supervisor.lives:
        if life.end is not None:
            begins = [other.begin for other in vehicle.supervisor.lives if other.begin > life.end]
            yield from stays_on(episode, high, life.end, min([*begins, vehicle.now()]), POWER_OFF_S, "its death")
    if vehicle.window_end and not may(episode, "window"):
        end = vehicle.window_end
        bound = POWER_OFF_HELD_S if overlaps(end, end + POWER_OFF_S, held) else POWER_OFF_S
        yield from stays_on(episode, high, end, vehicle.now(), bound, "the window's end")


def stays_on(episode, high, since, until, bound, words):
    bound += 0.5 + episode.vehicle.machine.stalled(since, since + bound)
    for begin, end in high:
        # On again later is another matter: a restarted agent may have to learn the time.
        if begin < min(until, since + bound) and min(end, until) > since + bound:
            on = min(end, until)
            yield f"the GPS is on {on - since:.1f} s after {words} ({max(begin, since):.1f} to {on:.1f} s)"


# MARK: Files and limits

@invariant("N4")
def file_is_sound(episode):
    """PRAGMA integrity_check, but for damage that no start has looked for"""
    try:
        rows = episode.vehicle.database("PRAGMA integrity_check")
    except sqlite3.Error as error:
        rows = [(str(error),)]
    if rows != [("ok",)] and episode.vehicle.is_looked_over:
        yield f"integrity_check: {rows[:2]}"


@invariant("N9")
def costs_are_bounded(episode):
    """Memory, descriptors and CPU stay under caps"""
    for samples in episode.vehicle.poller.resources.values():
        resident = max(sample[1] for sample in samples)
        if resident > RESIDENT_MB:
            yield f"{resident:.0f} MB resident"
        descriptors = max(sample[2] for sample in samples)
        if descriptors > DESCRIPTORS:
            yield f"{descriptors} descriptors"
        share = max(shares_of_cpu(samples), default=0.0)
        if share > CPU_SHARE and not may(episode, "load"):
            yield f"{100 * share:.0f} % CPU for {SPIN_S} s"


def shares_of_cpu(samples):
    """Over every stretch of SPIN_S; what it waits for a CPU it would have used."""
    for i, (begin, _, _, used, waited) in enumerate(samples):
        later = next((sample for sample in samples[i:] if sample[0] - begin >= SPIN_S), None)
        if later:
            yield (later[3] - used) / max(1.0, later[0] - begin - (later[4] - waited))


# MARK: Work goes on

@invariant("N5")
def sampling_goes_on(episode):
    """While good fixes come, one is kept at least every two intervals"""
    vehicle = episode.vehicle
    kept = {record["timestamp"] for record in [*stored(episode).values(), *(episode.remaining or {}).values()]}
    offset = vehicle.machine.begun
    fixes = [(when - offset, stamp) for when, stamp in list(vehicle.receiver.sent)]
    bound = max(2 / vehicle.hz, 2.0) + 0.5
    for begin, end in calm(episode):
        inside = [(when, stamp in kept) for when, stamp in fixes if begin <= when <= end]
        last = begin
        for when, is_kept in [*inside, (end, True)]:
            missed = sum(1 for other, _ in inside if last < other < when)
            if is_kept and when - last > bound and missed > 2:
                yield f"none of {missed} good fixes from {last:.1f} to {when:.1f} s is kept"
            last = when if is_kept else last


def calm(episode):
    """[(begin, end)] in which fixes come and nothing is in their way."""
    vehicle = episode.vehicle
    ends = min([episode.quiet + 1, *([vehicle.window_end] if vehicle.window_end else [])])
    if episode.recovered_after is not None and vehicle.window_end is None:
        ends = episode.quiet + episode.recovered_after
    rough = spans(episode, "gps", 3, RECONNECT_S)
    for life in vehicle.supervisor.lives:
        last = life.end or vehicle.now()
        moves = next((
            when for when, status in vehicle.poller.statuses
            if status["motion"] == "moving" and life.begin <= when <= (life.end or when)), last)
        # Until then fixes are held in memory, and go with it. In so short a time nothing may come of them.
        heard = min([last, ends, *(begin for begin, _ in spans(episode, "gps", 0, 0) if begin > life.begin)])
        held = sum(max(0, min(heard, b) - max(life.begin, a)) for a, b in spans(episode, "hang", 0, 0))
        is_short = moves == last and heard - life.begin - held < DECISION_S
        if life.by == "kill" and last - moves < 3 or is_short or may(episode, "ring"):
            rough.append((life.begin, moves))
        after = [other.begin for other in vehicle.supervisor.lives if other.begin > (life.end or 0)]
        rough.append((life.begin - 1, life.begin + START_S + vehicle.machine.stalled(life.begin)))
        if life.end is not None:
            rough.append((life.end - 3, min([*after, vehicle.now()])))
    edges = sorted({0.0, ends, *(edge for span in rough for edge in span if 0 < edge < ends)})
    pieces = list(zip(edges, edges[1:]))
    return [(a, b) for a, b in pieces if b - a > 2 and not is_inside((a + b) / 2, rough)]


@invariant("loop")
def loop_answers(episode):
    """The control socket answers within seconds: nothing that the loop calls blocks"""
    vehicle = episode.vehicle
    excused = spans(episode, "loop", 1, 2)
    deaths = [(life.end - ANSWER_S, life.end + 1) for life in vehicle.supervisor.lives if life.end is not None]
    worst = 0.0, 0.0
    for asked, took in vehicle.poller.answers:
        took = 40.0 if took is None else took
        took -= vehicle.machine.stalled(asked, asked + took)
        if not overlaps(asked, asked + took, excused + deaths):
            worst = max(worst, (took, asked))
    if worst[0] > ANSWER_S:
        yield f"a question at {worst[1]:.1f} s had no answer for {worst[0]:.1f} s"


@invariant("watchdog")
def watchdog_sleeps(episode):
    """systemd's watchdog kills no process that is not held"""
    for when in episode.vehicle.supervisor.watchdog_kills:
        held = [span for span in spans(episode, "hang", 0, 5)]
        if not is_inside(when, held):
            yield f"the watchdog killed at {when:.1f} s"


@invariant("N12")
def recovers(episode):
    """A minute after the last cause's end everything is as it was, without a person"""
    if episode.recovered_after is None:
        yield f"{RECOVERY_S} s after the last cause's end {episode.recovery_words}"


@invariant("N11")
def settings_survive(episode):
    """The same settings are in force all the time, but for those of the server: no spoilt file has taken their place"""
    hashes = collections.defaultdict(set)
    for _, status in episode.vehicle.poller.statuses:
        hashes[status.get("config", {}).get("in_force", 0)].add(status["settings"])
    for version, found in hashes.items():
        if len(found) > 1:
            words = f" with version {version} of the server's" if version else ""
            yield f"{len(found)} different settings were in force{words}"


# MARK: From afar

# To do them twice harms nobody: where their ids cannot be noted, they are done all the same.
HARMLESS = ("locate", "sync", "status", "report")


@invariant("orders")
def ordered_once(episode):
    """No command is begun twice; settings in force are those that were sent, and what was told as kept stays"""
    orders, is_sound = episode.vehicle.server.orders, not touches(episode, "storage", "queue")
    found = begun(journal(episode))
    for words, identity in sorted({one for one in found if found.count(one) > 1}):
        if is_sound or not words.startswith(HARMLESS):
            yield f"{words} ({identity}) was begun {found.count((words, identity))} times"
    for _, identity in found:
        if identity not in orders.offered:
            yield f"{identity} was begun, and never sent"
    yield from settings_in_force(episode, orders, is_sound)


def settings_in_force(episode, orders, is_sound):
    kept = 0
    for when, status in episode.vehicle.poller.statuses:
        config = status.get("config", {})
        in_force, refused = config.get("in_force", 0), config.get("refused")
        if in_force and in_force not in orders.versions:
            yield f"version {in_force} is in force at {when:.1f} s, and was never sent, or is bad"
            return
        if in_force < kept and is_sound:
            yield f"version {kept} was kept, and {in_force or 'none'} is in force at {when:.1f} s"
            return
        if refused in orders.versions and "trial failed" not in config.get("refused_because", ""):
            yield f"good version {refused} is refused: {config.get('refused_because')}"
            return
        kept = in_force if "trial_until" not in config else kept


def touches(episode, *places):
    return any(set(places) & span.fault.touches for span in episode.spans)


@invariant("distance")
def no_invented_metre(episode):
    """The odometer shows no more than was driven"""
    vehicle = episode.vehicle
    if vehicle.poller.statuses:
        when, status = vehicle.poller.statuses[-1]
        odometer = status["trip"]["odometer_m"]
        if odometer > SPEED_MPS * when * 1.2 + 150:
            yield f"{odometer:.0f} m on the odometer, and {SPEED_MPS * when:.0f} m were driven"


# MARK: Words

SYNC_TOLD = {"sync_failed", "sync_unauthorised", "captive_portal"}


@invariant("N7")
def fault_is_told(episode):
    """A warning names the fault"""
    told = warnings(episode)
    for span in episode.spans:
        silenced = [
            (other.begin - 2, other.end) for other in episode.spans
            if other is not span and {"hang", "process", "loop"} & other.fault.disturbs]
        met = span.fault.label not in episode.vehicle.unmet and not overlaps(span.begin, span.end, silenced)
        # The sync has one trouble at a time: without a token there is no reply to complain of.
        others = [
            other.fault.told for other in episode.spans
            if span.fault.told & SYNC_TOLD and overlaps(span.begin, span.end, [(other.begin, other.end)])]
        names = span.fault.told.union(*(one for one in others if one & SYNC_TOLD))
        # A queue that nothing can be read of does not know in which box it was: it is looked at in the next process.
        unread = span.fault.label == "other-box" and any(
            other.fault.label == "disk-full-at-start" and overlaps(span.begin, span.end, [(other.begin, other.end)])
            for other in episode.spans)
        if met and span.fault.told and not names & told and not unread:
            yield f"{span.fault.label}: none of {', '.join(sorted(span.fault.told))} is told, but {sorted(told)}"


@invariant("N8")
def no_secret_in_journal(episode):
    """No token and no coordinate in journal, status, or what `power off` says"""
    texts = [("journal", journal(episode))]
    texts += [("power off", words) for _, _, words in episode.vehicle.supervisor.power_offs]
    texts += [("status", str(status)) for _, status in episode.vehicle.poller.statuses[-1:]]
    for name, text in texts:
        if TOKEN in text:
            yield f"the token is in the {name}"
        place = re.search(COORDINATE, text)
        if place:
            line = text[:place.start()].count("\n") + 1
            yield f"a coordinate is in the {name}, line {line}"


# MARK: Ends

@invariant("trap")
def no_trap(episode):
    """The process ends by a signal only when somebody sends it one, and its journal shows no crash"""
    crash = re.search(r"^.*(Fatal error|Program crashed|AddressSanitizer|ThreadSanitizer).*$", journal(episode), re.M)
    if crash:
        yield f"the journal has: {crash.group()}"
    for life in episode.vehicle.supervisor.lives:
        if life.code is not None and life.code < 0 and life.by != "kill" and not getattr(life, "aborted", None):
            yield f"process {life.pid} ended by signal {-life.code} at {life.end:.1f} s"


@invariant("exit")
def ends_as_documented(episode):
    """SIGTERM: 0 within 10 s. Otherwise only with the codes that a fault allows"""
    vehicle = episode.vehicle
    allowed = {code for span in episode.spans for code in span.fault.codes}
    for life in vehicle.supervisor.lives:
        if life.code is not None and life.code > 0 and life.code not in allowed:
            yield f"process {life.pid} ended with {life.code} at {life.end:.1f} s"
    if episode.stop_code not in (None, 0):
        yield f"after SIGTERM: {episode.stop_code}"
    if (episode.stop_took or 0) > STOP_S:
        yield f"SIGTERM took {episode.stop_took:.1f} s"
    bad = [words for _, code, words in vehicle.supervisor.power_offs if code not in (0, 66, 78)]
    if bad:
        yield f"power off: {bad[0]}"
