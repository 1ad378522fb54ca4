"""Trips that are under way, and those over the viewer's midnight."""
import json
import re

import fleet
from collector import demand, record
from late import TODAY

# The begin of yesterday in the page's zone.
MIDNIGHT_MS = """(() => { const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).getTime(); })()"""

ITEM = "[...document.querySelectorAll('.item.{}')].map((one) => one.innerText.replace(/\\s+/g, ' '))"


class Trips:
    """Steps of check-pages."""

    def other_day(self, days):
        return self.page.evaluate(f"import('/pages/time.js').then(({{ otherDay }}) => otherDay({TODAY}, {days}))")

    def show_day(self, name, day):
        self.page.evaluate(f"location.hash = '#/v/' + encodeURIComponent('{name}') + '/day/{day}'")
        self.page.wait(f"document.querySelector('.vehicle h2')?.innerText === '{name}' "
                       f"&& document.querySelector('#side input[type=date]')?.value === '{day}'")

    def under_way(self):
        """A vehicle that drives is shown as driving, with its metres so far, and not as standing."""
        page, name = self.page, "van 0014"
        row = f"document.querySelector('.row[data-device=\"{name}\"]')?.innerText"
        self.collector.post(name, {"location": [], "status": {
            "version": "0.2.0", "time": fleet.text(self.now_ms - 3_600_000), "no_track_because": "parked"}})
        page.evaluate("location.hash = '#/'")
        page.wait(f"{row}?.includes('moving')")
        demand("no track" not in page.evaluate(row), f"it moves and has no track: {page.evaluate(row)}")
        page.evaluate("location.hash = '#/v/van%200014'")
        trip = page.wait(ITEM.format("trip") + ".at(-1)")
        demand(re.search(r"under way, \d+\.\d km so far, \d+ min", trip), f"the trip under way is shown as {trip}")
        items = page.evaluate("[...document.querySelectorAll('.item.stop')].filter((one) => one.innerText.includes('so far')).length")
        demand(items == 0, "it stands and drives at once")
        demand(page.evaluate("document.querySelectorAll('#timeline .segment.trip').length") >= 1, "the bar has no trip under way")
        self.picture("under-way")
        # What comes makes it longer.
        before = page.evaluate("document.querySelector('#side .body p.detail').innerText")
        extras = json.dumps({"trip": 4 * self.options.days + 1}, separators=(",", ":"))
        self.collector.post(name, {"location": [record(60, self.now_ms, 48.9, 9.9) | {"extras": extras}]})
        page.wait(f"document.querySelector('#side .body p.detail').innerText !== {json.dumps(before)}")
        page.evaluate("location.hash = '#/'")

    def over_midnight(self):
        """Each day has its part of a trip and of a stop."""
        page, name = self.page, "night van"
        midnight_ms = int(page.evaluate(MIDNIGHT_MS))
        minute_ms = 60_000
        begin_ms, end_ms = midnight_ms - 30 * minute_ms, midnight_ms + 10 * minute_ms
        records = [record(200 + step, begin_ms + step * 5 * minute_ms, 47.0, 8.0 + step * 0.05) | {"extras": '{"trip":1}'}
                   for step in range(9)]
        records[0]["event"] = "motionchange"
        records.append(record(220, end_ms, 47.0, 8.4, moving=False) | {"event": "trip", "extras": json.dumps({
            "trip": 1, "start_ms": begin_ms, "end_ms": end_ms, "distance_m": 40_000, "idle_s": 0, "end_cause": "stayed"})})
        self.collector.post(name, {"location": records})
        for day, way, times in ((-2, "30.0 km", "23:30 – 00:00"), (-1, "10.0 km", "00:00 – 00:10")):
            self.show_day(name, self.other_day(day))
            trip = page.wait(ITEM.format("trip") + "[0]")
            demand(trip.startswith(times) and f" {way}, " in trip and "of 40.0 km in all, " in trip, f"the part of the trip is {trip}")
            demand(f"1 trip, {way}, " in page.evaluate("document.querySelector('#side .body p.detail').innerText"), "the day's sum has another way")
        stop = page.wait(ITEM.format("stop") + "[0]")
        demand("23 h 50 min" in stop and "so far" not in stop, f"yesterday's part of the stop is {stop}")
        self.picture("over-midnight")
        self.show_day(name, self.other_day(0))
        stop = page.wait(ITEM.format("stop") + "[0]")
        demand(stop.startswith("00:00") and "so far, since" in stop, f"the stop of today is {stop}")
        page.evaluate("location.hash = '#/'")
