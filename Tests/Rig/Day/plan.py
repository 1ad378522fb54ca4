"""What happens on the day, in UTC: one list of hours for the vehicle, one for the clock and the server."""
import calendar, math, time

# The Tuesday of Guest.inside.NOON.
FIRST_DAY = "2035-10-30"


def at(text, day=FIRST_DAY):
    """Unix seconds of hh:mm that day."""
    return calendar.timegm(time.strptime(f"{day} {text}", "%Y-%m-%d %H:%M"))


BEGIN = at("05:00")
END = at("07:30", "2035-10-31")
# In Zurich, an hour ahead of UTC that day: 06:00 to 08:30, 14:00 to 16:00, and 06:00 to 07:00 the next day.
SCHEDULE = ["tue 07:00-09:30", "tue 15:00-17:00", "wed 07:00-08:00"]
# (from, to): a drive inside of the first window, and one longer than the second.
DRIVES = [(at("06:40"), at("07:00")), (at("13:50"), at("16:10"))]
# The window that is driven from its beginning to its end.
WHOLE = at("14:00")
SERVER_AWAY = (at("14:30"), at("18:00"))
STEP_S = 10


def track():
    """The vehicle as GPX, a point every 10 s: round a lake at 14 m/s while it drives."""
    angle, points = 0.0, []
    for seconds in range(BEGIN, END + 600, STEP_S):
        if any(begin <= seconds < end for begin, end in DRIVES):
            angle += 14 * STEP_S / 5000
        latitude, longitude = 47.0 + 0.045 * math.sin(angle), 8.5 + 0.066 * math.cos(angle)
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
        points.append(f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}"><ele>400</ele><time>{when}</time></trkpt>')
    return '<?xml version="1.0"?><gpx version="1.1"><trk><trkseg>' + "\n".join(points) + "</trkseg></trk></gpx>"
