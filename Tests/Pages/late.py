"""What comes when its page has been left."""
import time

from collector import demand, record
from live import hold

MARKERS = """import('/pages/map.js').then(({ theMap }) => {
  let count = 0; theMap().eachLayer((layer) => { if (layer instanceof L.CircleMarker) count += 1; }); return count; })"""


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
        today = page.evaluate("(() => { const now = new Date(); return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((one) => String(one).padStart(2, '0')).join('-'); })()")
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
