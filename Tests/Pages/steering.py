"""Settings and geofences of many, and their history."""
from collector import demand


class Steering:
    """A step of check-pages."""

    def geofences_of_many(self):
        """What was drawn for one goes to a group, and is taken back; the history names both."""
        page = self.page
        press = lambda words: page.evaluate(f"[...document.querySelectorAll('#side button')].find((one) => one.innerText.includes('{words}')).click()")
        config = lambda name: self.collector.post(name, {"location": []})["config"]
        history = lambda words: page.wait(f"document.querySelector('.history')?.textContent.includes('{words}')")
        page.evaluate("location.hash = '#/v/van%200009/geofences'")
        page.wait("document.querySelectorAll('.fences > li').length === 2 && document.querySelector('.toMany')")
        page.evaluate("window.asked = ''; window.confirm = (question) => { window.asked = question; return true; }")
        page.evaluate("document.querySelector('.toMany').open = true")
        press("Send to these")
        page.wait("document.getElementById('notice').innerText === 'Choose for whom first.'")
        for width, height in ((390, 844), (1440, 900)):
            page.screen(width, height)
            self.is_narrow(f"geofences of many at {width}")
            self.picture(f"geofences-of-many-{width}", whole=width < 700)
        page.evaluate("document.querySelector('.toMany select').value = 'group:north'")
        press("Send to these")
        page.wait("document.getElementById('notice').innerText === 'Set for 1, failed for 0.'")
        asked = page.evaluate("window.asked")
        demand(asked == "Send these geofences (2): Group north (1)?", f"the question is {asked}")
        now = config("van 0011")
        demand([feature["properties"]["id"] for feature in now["geofences"]["features"]] == ["area 1", "area 2"], f"{now}")
        demand(now["settings"] == {"track.max_error_m": 25}, f"the geofences have taken the settings away: {now}")
        page.evaluate("location.hash = '#/v/van%200011/settings'")
        history("geofences changed: area 1 added, area 2 added")
        # None: the vehicle's own file counts, and is not replaced by an empty one.
        page.evaluate("location.hash = '#/v/van%200009/geofences'")
        page.wait("document.querySelectorAll('.fences > li').length === 2")
        for left in (1, 0):
            press("Remove")
            page.wait(f"document.querySelectorAll('.fences > li').length === {left}")
        press("Send to this vehicle")
        page.wait("document.getElementById('notice').innerText.includes('Version 3 goes')")
        now = config("van 0009")
        demand("geofences" not in now and now["settings"] == {"motion.stop_timeout_s": 600}, f"{now}")
        press("Send to this vehicle")
        page.wait("document.getElementById('notice').innerText.includes('Version 4 goes')")
        page.evaluate("location.hash = '#/v/van%200009/settings'")
        history("geofences changed: area 1 removed, area 2 removed")
        history("The same as before.")
