"""How long records stay, and their deletion."""
import time

from collector import demand


class Keeping:
    """A step of check-pages."""

    def records(self):
        """How long a vehicle's records stay, by the keyboard alone, and the deletion of its history."""
        page = self.page
        page.evaluate("location.hash = '#/v/van%200012/status'")
        page.wait("document.querySelector('.records summary')")
        said = lambda words: f"document.getElementById('notice').innerText.includes('{words}')"
        shows = lambda words: f"document.getElementById('side').innerText.replace(/\\s+/g, ' ').includes('{words}')"
        demand(page.evaluate(shows("Kept for ever, as all")), "how long records stay is not shown")
        page.evaluate("window.confirm = (question) => { window.asked = question; return window.answer; }")
        page.evaluate("window.answer = false; document.querySelector('.records summary').focus()")
        page.key("Enter", text="\r")
        page.wait("document.querySelector('.records').open")
        page.key("Tab")
        demand(page.evaluate("document.activeElement.name") == "days", "the next key does not lead to the days")
        page.type("400")
        page.key("Enter", text="\r")
        page.wait("window.asked?.includes('Keep records of van 0012 for 400 days? Older ones are deleted')")
        demand(page.evaluate(shows("Kept for ever, as all")), "the span is set though nobody said yes")
        page.evaluate("window.answer = true; document.activeElement.form.requestSubmit()")
        page.wait(said("Records of van 0012 are kept for 400 days."))
        page.wait(shows("Kept 400 days"))
        for width, height in ((1440, 900), (390, 844)):
            for scheme in ("light", "dark"):
                page.screen(width, height, scheme)
                page.evaluate("document.querySelector('.records').open = true")
                self.is_narrow(f"keeping and deleting at {width}")
                self.picture(f"records-{width}-{scheme}", whole=width < 700)
        page.screen(1440, 900)
        count = lambda: int(page.evaluate("document.querySelector('#side dd').innerText").split(",")[0])
        before = count()
        demand(before > 100, f"there are {before} records to delete")
        date = time.strftime("%Y-%m-%d", time.gmtime(self.now_ms / 1000 - 3 * 86400))
        delete = lambda name, day: page.evaluate(f"""(() => {{
          document.querySelector('.records').open = true;
          const form = document.querySelector('.records .delete');
          form.elements.before.value = '{day}'; form.elements.name.value = '{name}'; form.requestSubmit(); }})()""")
        delete("van 0011", "")
        page.wait(said("type its name as it stands here"))
        demand(count() == before, "a history is deleted under another name")
        delete("van 0012", date)
        page.wait(said("records of van 0012 are deleted."))
        left = count()
        gone = int(page.evaluate("document.getElementById('notice').innerText").split()[0])
        demand(gone + left == before and 0 < left < before, f"{before} records, {gone} deleted, {left} left")
        page.wait(shows(f"Deleted {gone}, last just now"))
        # The whole of it by the keyboard.
        page.evaluate("document.querySelector('.records').open = true; document.querySelector('.delete input[name=name]').focus()")
        page.type("van 0012")
        page.key("Tab")
        demand(page.evaluate("document.activeElement.innerText") == "Delete history", "the next key does not lead to the button")
        page.key("Enter", text="\r")
        page.wait(said(f"{left} records of van 0012 are deleted."))
        demand(count() == 0, "there are records left")
        page.wait(shows(f"Deleted {before}, last just now"))
