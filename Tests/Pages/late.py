"""What comes when its page has been left."""
import json
import time

from collector import demand, record
from live import hold

MARKERS = """import('/pages/map.js').then(({ theMap }) => {
  let count = 0; theMap().eachLayer((layer) => { if (layer instanceof L.CircleMarker) count += 1; }); return count; })"""

# In the page's zone.
TODAY = """(() => { const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((one) => String(one).padStart(2, '0')).join('-'); })()"""


LEFT_OF_TODAY_S = "((now) => (new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1) - now) / 1000)(new Date())"


class Late:
    """A step of check-pages."""

    def late(self):
        """A day that comes when its page has been left draws nothing, neither over the fleet nor over another vehicle."""
        page = self.page
        page.evaluate("location.hash = '#/'")
        page.wait("document.querySelectorAll('.row').length > 0")
        date = lambda days: time.strftime("%Y-%m-%d", time.gmtime(self.now_ms / 1000 + days * 86400))
        go = lambda path: page.evaluate(f"location.hash = '#/{path}'")
        let_go = lambda number: page.evaluate(f"window.held[{number}]()")
        wait = lambda what, count: page.wait(f"window.{what}{'.length' if what == 'held' else ''} === {count}")
        count = page.evaluate(MARKERS)
        demand(count >= self.options.vehicles, f"{count} markers of the fleet")

        def is_fleet(which):
            demand(page.evaluate("document.getElementById('timeline').hidden"), f"{which} has brought its timeline over the fleet")
            now = page.evaluate(MARKERS)
            demand(now == count, f"{which} has left {now} of {count} markers of the fleet")

        page.evaluate(hold("/day?"))
        go("v/van%200008/day/" + date(-3))
        wait("held", 1)
        page.key("Escape")
        page.wait("document.body.dataset.view === 'fleet' && document.querySelectorAll('.row').length > 0")
        let_go(0)
        wait("late", 1)
        is_fleet("a day that was left")
        # The other one's day has no trip.
        go("v/van%200008/day/" + date(-3))
        wait("held", 2)
        go("v/van%200007/day/" + date(3))
        wait("held", 3)
        let_go(2)
        page.wait("document.getElementById('side').innerText.includes('No trip on this day.')")
        let_go(1)
        wait("late", 3)
        trips = page.evaluate("document.querySelectorAll('#timeline .trip').length")
        demand(trips == 0, f"another vehicle's day shows {trips} trips of the one that was left")
        # A day that goes on asks anew when something comes.
        today = page.evaluate(TODAY)
        go("v/van%200005/day/" + today)
        wait("held", 4)
        let_go(3)
        page.wait(f"document.querySelector('#side input[type=date]')?.value === '{today}'")
        self.collector.post("van 0005", {"location": [record(6, self.now_ms + 500, 47.4, 8.4)]})
        wait("held", 5)
        go("")
        page.wait("document.body.dataset.view === 'fleet' && document.querySelectorAll('.row').length > 0")
        let_go(4)
        wait("late", 5)
        is_fleet("a day that goes on")
        page.evaluate("window.fetch = window.plainFetch")

    def growing(self):
        """A day that goes on under the hand: focus, what was chosen and a click that is under way outlast what comes."""
        page = self.page
        name, items = "van 0013", "[...document.querySelectorAll('.item.event')].filter((one) => one.innerText.includes('Entered'))"
        segments = "[...document.querySelectorAll('#timeline .segment.event')].filter((one) => one.item.title.startsWith('Entered'))"

        def enters(number):
            one = record(100 + number, int(time.time() * 1000), 47.4, 8.4, moving=False)
            self.collector.post(name, {"location": [one | {
                "event": "geofence", "extras": json.dumps({"action": "ENTER", "geofence": f"yard {number}"})}]})

        def came(number):
            page.wait(f"{items}.length === {number} && {segments}.length === {number}")

        # What comes is of today, and so is the day that is looked at.
        if (left_s := page.evaluate(LEFT_OF_TODAY_S)) < 120:
            time.sleep(left_s + 1)
        enters(1)
        page.wait(f"document.body.dataset.view === 'fleet' && !!document.querySelector('.row[data-device=\"{name}\"]')")
        page.evaluate(f"location.hash = '#/v/van%200013/day/' + {TODAY}")
        came(1)
        picker = "document.querySelector('#side input[type=date]')"
        page.evaluate(f"{picker}.focus()")
        enters(2)
        came(2)
        demand(page.evaluate(f"document.activeElement === {picker}"), "the day's field has lost the focus")
        page.evaluate(f"{items}[0].focus()")
        page.key("Enter", text="\r")
        enters(3)
        came(3)
        demand(page.evaluate(f"document.activeElement === {items}[0]"), "the list has lost the focus")
        demand(page.evaluate(f"{segments}.map((one) => one.classList.contains('chosen')).join()") == "true,false,false",
               "what was chosen is not any more")
        page.evaluate(f"{segments}[1].focus()")
        enters(4)
        came(4)
        demand(page.evaluate(f"document.activeElement === {segments}[1] && document.activeElement.tabIndex === 0"),
               "the timeline has lost the focus")
        page.key("ArrowRight")
        page.wait(f"document.activeElement === {segments}[2]")
        # The button of the mouse is down while something comes; the list waits for it.
        where = page.evaluate(f"(() => {{ const box = {items}[3].getBoundingClientRect(); return [box.left + 20, box.top + 5]; }})()")
        mouse = lambda kind: page.call("Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=1)
        page.evaluate("window.pressed = null; document.addEventListener('click', (event) => { window.pressed = event.target.closest('.item')?.item.title; }, true)")
        mouse("mousePressed")
        enters(5)
        page.evaluate("new Promise((go) => setTimeout(go, 2500))")
        mouse("mouseReleased")
        page.wait("window.pressed === 'Entered yard 4'")
        came(5)
        # It goes down while the answer is on its way.
        page.evaluate("window.pressed = null; " + hold("/day?"))
        enters(6)
        page.wait("window.held.length === 1")
        mouse("mousePressed")
        page.evaluate("window.held[0](); new Promise((go) => setTimeout(go, 500))")
        mouse("mouseReleased")
        page.wait("window.pressed === 'Entered yard 4'")
        page.evaluate("window.fetch = window.plainFetch")
        came(6)
