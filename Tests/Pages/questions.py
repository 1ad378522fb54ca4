"""The twelve questions of an operator, asked as a person would; clicks are counted, a choice in a list is one."""
import time

import fleet
from collector import demand, execute, record

MOST = 4
DAY_MS = fleet.DAY_MS


class Questions:
    """A step of check-pages."""

    def press(self, words, within="document"):
        """Clicks what a person sees under these words: a link, a button or the head of a part."""
        find = f"""[...{within}.querySelectorAll('a, button, summary')].find((one) =>
          one.checkVisibility() && (one.innerText.trim() === '{words}' || one.getAttribute('aria-label') === '{words}'))
          ?? [...{within}.querySelectorAll('a, button, summary')].find((one) => one.checkVisibility() && one.innerText.includes('{words}'))"""
        self.page.wait(find)
        self.page.evaluate(f"({find}).click()")
        self.clicks += 1

    def choose(self, label, words):
        """What a list offers, by what it says."""
        option = f"[...document.querySelectorAll('select[aria-label=\"{label}\"] option')].find((one) => one.innerText.includes('{words}'))"
        self.page.wait(option)
        self.page.evaluate(f"(() => {{ const one = {option}; one.parentNode.value = one.value; one.parentNode.dispatchEvent(new Event('change')); }})()")
        self.clicks += 1

    def put(self, find, value, event="change"):
        """Types into a field that was clicked."""
        self.page.wait(find)
        self.page.evaluate(f"(() => {{ const one = {find}; one.value = '{value}'; for (const kind of ['input', '{event}']) one.dispatchEvent(new Event(kind, {{ bubbles: true }})); }})()")
        self.clicks += 1

    def row(self, *words):
        """A row of the table that has all of these; its text."""
        has = " && ".join(f"row.textContent.includes('{one}')" for one in words)
        return self.page.wait(f"[...document.querySelectorAll('.data tbody tr')].find((row) => {has})?.innerText", 40)

    def column(self, title):
        """What stands in a column of the table, from the top."""
        return self.page.evaluate(f"""(() => {{
          const at = [...document.querySelectorAll('.data thead th')].findIndex((one) => one.innerText.startsWith('{title}'));
          return [...document.querySelectorAll('.data tbody tr')].map((row) => row.children[at]?.innerText ?? ''); }})()""")

    def clock(self, time_ms, form="%H:%M"):
        """Local, as the page shows it."""
        return self.page.evaluate(f"new Intl.DateTimeFormat('en-GB', {{ hour: '2-digit', minute: '2-digit' }}).format(new Date({time_ms}))")

    def silent(self):
        """Nothing has come from van 0013 for two days."""
        execute(self.database, "UPDATE device_now SET last_contact_ms = last_contact_ms - 172800000, no_track_because = 'parked' "
                               "WHERE device_id = 13")

    def who_is_silent(self):
        """1. Which have not reported since yesterday, and why?"""
        self.press("silent", "document.getElementById('counts')")
        said = self.page.wait("[...document.querySelectorAll('.row')].find((one) => one.innerText.startsWith('van 0013'))?.innerText")
        demand("no contact since" in said and "last reported: parked" in said, f"of a silent vehicle: {said}")
        self.page.evaluate("[...document.querySelectorAll('.chip')].find((one) => one.innerText.includes('silent')).click()")

    def where_was_it(self):
        """2. Where was van-7 at 14:10 that day?"""
        self.press("van 0007")
        self.put("document.querySelector('input[type=date]')", self.day_text(3))
        self.page.wait(f"location.hash.endsWith('{self.day_text(3)}')")
        self.put("document.querySelector('input[type=time]')", "14:10")
        said = self.page.wait("document.querySelector('.replay [role=status]').innerText.includes('Copy') && document.querySelector('.replay [role=status]').innerText")
        demand(("km" in said or "in " in said) and "14:10:00" in said, f"where it was at 14:10: {said}")

    def kilometres(self):
        """3. How many kilometres has each driven in the last days?"""
        self.press("Reports")
        self.press("Last week")
        self.page.wait("document.querySelectorAll('.data tbody tr').length === 50 || document.querySelectorAll('.data tbody tr').length > 50")
        self.press("Distance")
        found = [float(one.split()[0]) for one in self.column("Distance") if one]
        demand(found == sorted(found, reverse=True) and found[0] > 50, f"kilometres of a week: {found[:5]}")
        sums = self.page.evaluate("document.querySelector('.data tfoot').innerText")
        demand("km" in sums, f"no sum: {sums}")

    def who_was_there(self):
        """4. Who was on that site last week, and how long?"""
        self.press("Reports")
        self.press("Sites")
        self.press("Last week")
        self.press("depot", "document.querySelector('.data tbody')")
        self.page.wait("document.querySelector('select.sites')?.value === 'depot'")
        said = self.row("depot", "van 0003")
        demand("min" in said or " h " in said, f"a visit: {said}")

    def out_of_hours(self):
        """5. Did van-3 leave out of hours?"""
        self.press("Reports")
        self.press("Trips")
        self.press("Last week")
        self.row("van 0003")
        self.put("document.querySelector('input.short')", "09:00-16:00")
        self.page.wait("location.hash.includes('outside')")
        self.page.wait("document.querySelector('.actions a')?.href.includes('outside')")
        said = self.row("van 0003")
        demand("km" in said, f"a trip out of hours: {said}")
        early = self.page.wait("[...document.querySelectorAll('.data tbody td:nth-child(2) time')].map((one) => one.dateTime)")
        # A trip takes a quarter of an hour.
        hours = self.page.evaluate(f"""{early!r}.every((text) => {{ const at = new Date(text), day = at.getDay(), minute = at.getHours() * 60 + at.getMinutes();
          return day === 0 || day === 6 || minute < 540 || minute > 930; }})""")
        demand(hours, "a trip within hours is shown")

    def schedule(self):
        """6. Change a group's schedule."""
        self.press("Settings", "document.getElementById('nav')")
        self.page.wait("document.querySelectorAll('.setting').length > 40")
        self.choose("For whom", "Group north")
        self.press("motion")
        field = "[...document.querySelectorAll('.setting')].find((one) => one.textContent.includes('motion.stop_timeout_s')).querySelector('input')"
        self.page.evaluate(f"(() => {{ const one = {field}; one.value = '240'; one.dispatchEvent(new Event('input', {{ bubbles: true }})); window.confirm = () => true; }})()")
        self.press("Send")
        self.page.wait("document.getElementById('notice').innerText === 'Set for 1, failed for 0.'")

    def taken_over(self):
        """7. Was it taken over by all?"""
        self.press("Table")
        self.choose("Group", "north")
        self.press("Settings", "document.getElementById('side')")
        self.row("van 0011", "pending")
        answer = self.collector.post("van 0011", {"location": []})
        version = answer["config"]["version"]
        self.collector.post("van 0011", {"location": [], "status": {
            "version": "0.2.0", "time": fleet.text(self.now_ms), "config": {"desired": version, "in_force": version}}})
        self.row("van 0011", "in force")
        self.page.wait("document.querySelector('#side [role=status]').innerText.includes('1 in force')")

    def versions(self):
        """8. Which run which version?"""
        self.press("Table")
        self.press("Version")
        found = [one for one in self.column("Version") if one]
        demand(found[0] == "0.1.0" and found == sorted(found), f"versions: {found[:3]}")

    def weak_ones(self):
        """9. Which will fill their storage, run hot, have a weak GPS or battery?"""
        self.collector.post("van 0020", {"location": [], "status": {
            "version": "0.2.0", "time": fleet.text(self.now_ms), "battery": {"volts": 11.6, "low": True}, "gps": {"cn0_dbhz": 27.4},
            "host": {"temperature_c": 83.2, "disk_free_bytes": 150_000_000, "card_life_used": 40}}})
        self.press("Table")
        said = self.row("van 0020", "83.2 °C")
        for words in ("board hot", "storage low", "battery low", "11.6 V", "150 MB", "27.4 dB-Hz"):
            demand(words in said, f"the table does not say {words}: {said}")
        self.press("Free")
        self.press("Free")
        self.page.wait("document.querySelector('.data tbody tr').innerText.includes('van 0020')")

    def gpx(self):
        """10. A drive as GPX."""
        self.page.evaluate(f"location.hash = '#/v/van%200008/day/{self.day_text(3)}'")
        self.page.wait("document.querySelectorAll('.item.trip').length === 4")
        address = self.page.evaluate("document.querySelector('.gpx').href")
        self.clicks += 2  # the vehicle, and this link
        text = self.page.evaluate(f"fetch('{address}').then((answer) => answer.text())")
        demand(text.startswith("<?xml") and text.count("<trkseg>") == 1 and 20 < text.count("<trkpt") < 30, f"a drive: {text[:300]}")

    def delete(self):
        """11. Delete a driver's history."""
        self.press("van 0022")
        self.press("Status")
        summary = "document.querySelector('.records summary')"
        self.page.wait(summary)
        self.page.click(*self.page.evaluate(
            f"(() => {{ const one = {summary}; one.scrollIntoView(); const box = one.getBoundingClientRect(); return [box.left + 20, box.top + 8]; }})()"))
        self.clicks += 1
        # What is to be typed has the focus already.
        self.page.wait("document.activeElement.name === 'name'")
        self.page.type("van 0022")
        self.page.evaluate("window.confirm = () => true")
        self.press("Delete history", "document.querySelector('.records .delete')")
        self.page.wait("document.getElementById('notice').innerText.includes('deleted') || document.getElementById('side').innerText.includes('deleted')")
        self.page.evaluate("location.hash = '#/reports/trips?span=last-week&device=van%200022'")
        self.page.wait("document.querySelector('.data .empty')")

    def add(self):
        """12. Add the 61st."""
        self.press("Access")
        self.put("[...document.querySelectorAll('#side form')].find((one) => one.innerText.includes('Make a code')).elements.device", "van 0061", "input")
        self.press("Make a code")
        self.page.wait("[...document.querySelectorAll('.secret')].some((one) => /[0-9A-Z]{4}-/.test(one.innerText))")

    def day_text(self, days_ago):
        return time.strftime("%Y-%m-%d", time.gmtime(self.now_ms / 1000 - days_ago * 86400))

    def questions(self):
        asked = (self.who_is_silent, self.where_was_it, self.kilometres, self.who_was_there, self.out_of_hours, self.schedule, self.taken_over,
                 self.versions, self.weak_ones, self.gpx, self.delete, self.add)
        self.silent()
        for question in asked:
            self.page.open("about:blank")
            self.page.open(self.collector.url)
            self.page.wait("document.querySelectorAll('.row').length > 0")
            self.clicks = 0
            question()
            words = question.__doc__.splitlines()[0]
            demand(self.clicks <= MOST, f"{words} takes {self.clicks} clicks")
            print(f"  {words} {self.clicks} clicks")
            self.picture(f"question-{asked.index(question) + 1:02}")
