"""Which fixes other trackers keep of a drive, by their documentation; and what the kept ones say of the others.

Assumed for all: every fix is seen (1 Hz), none is filtered for its accuracy, and the device knows by a wire or a sensor
when the vehicle stands, so that nothing is kept while parked but what the policy itself keeps.

- `geomony`: `distanceFilter` 10 m, from the last fix that was kept.
- `teltonika`: FMB data acquisition on moving: a record after 300 s, 100 m, a course that differs by 10°, or a speed that
  differs by 10 km/h, whatever comes first, looked at once a second. Below 5 km/h, where its GPS says that it stands, the
  course counts for nothing: that of a receiver at rest is any.
- `traccar`: the client for telephones, `distance` 75 m and `fastestInterval` 30 s: it keeps what is both. Its default
  accuracy takes positions from WiFi and cells; here it gets the fixes of accuracy `high`.
- `traccar_highest`: the same with accuracy `highest`, which has no `fastestInterval`: 75 m, or the `interval` of 300 s.
- `opening_window`: OPW-TR (Meratnia, de By: Spatiotemporal compression techniques for moving point objects, EDBT 2004),
  the usual way with a bound. A segment grows while all its fixes lie within the bound of the straight line at their own
  time; then it ends at the fix before.
"""
import math
from bisect import bisect_right

EARTH_M = 6_371_008.8


def metres(a, b):
    """- a, b: (latitude, longitude) in degrees."""
    la, lb = math.radians(a[0]), math.radians(b[0])
    h = (math.sin((lb - la) / 2) ** 2
         + math.cos(la) * math.cos(lb) * math.sin(math.radians(b[1] - a[1]) / 2) ** 2)
    return 2 * EARTH_M * math.asin(min(1, math.sqrt(h)))


def keeping(is_kept):
    """The policy that keeps the first fix, and each of which `is_kept(last, fix)` says so beside the last kept one."""
    def policy(fixes):
        kept = fixes[:1]
        for fix in fixes[1:]:
            if is_kept(kept[-1], fix):
                kept.append(fix)
        return kept
    return policy


def way_m(last, fix):
    return metres(last["at"], fix["at"])


def waited_ms(last, fix):
    return fix["time_ms"] - last["time_ms"]


def teltonika_keeps(last, fix):
    speed, before = fix["speed_mps"] or 0, last["speed_mps"] or 0
    turned = abs(((fix["course_deg"] or 0) - (last["course_deg"] or 0) + 180) % 360 - 180)
    return (waited_ms(last, fix) >= 300_000 or way_m(last, fix) >= 100
            or (turned >= 10 and speed > 5 / 3.6) or abs(speed - before) >= 10 / 3.6)


geomony = keeping(lambda last, fix: way_m(last, fix) >= 10)
teltonika = keeping(teltonika_keeps)
traccar = keeping(lambda last, fix: waited_ms(last, fix) >= 30_000 and way_m(last, fix) >= 75)
traccar_highest = keeping(lambda last, fix: waited_ms(last, fix) >= 300_000 or way_m(last, fix) >= 75)


def error_m(first, last, fix):
    """Of the straight line at the fix's own time."""
    share = (fix["time_ms"] - first["time_ms"]) / (last["time_ms"] - first["time_ms"])
    between = tuple(a + share * (b - a) for a, b in zip(first["at"], last["at"]))
    return metres(between, fix["at"])


def opening_window(fixes, bound_m=10):
    kept, window = fixes[:1], []
    for fix in fixes[1:]:
        if any(error_m(kept[-1], fix, one) > bound_m for one in window):
            kept.append(window[-1])
            window = []
        window.append(fix)
    return kept + window[-1:]


def errors_m(kept, fixes):
    """Of every fix between the first and the last kept one, at its own time."""
    times, found = [fix["time_ms"] for fix in kept], []
    for fix in fixes:
        i = bisect_right(times, fix["time_ms"])
        if 0 < i < len(kept):
            found.append(error_m(kept[i - 1], kept[i], fix))
    return found
