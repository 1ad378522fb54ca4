"""One view after another: the map, the tabs, what fails, and what was not sent."""
from collector import demand

# How much of the map's width or height the fleet takes, and whether all of it is seen.
FRAMED = """import('/pages/map.js').then(({ theMap }) => {
  const map = theMap(), bounds = L.latLngBounds([]);
  map.eachLayer((layer) => { if (layer instanceof L.CircleMarker) bounds.extend(layer.getLatLng()); });
  const [one, other, size] = [map.latLngToContainerPoint(bounds.getNorthWest()), map.latLngToContainerPoint(bounds.getSouthEast()), map.getSize()];
  return map.getBounds().contains(bounds) ? Math.max((other.x - one.x) / size.x, (other.y - one.y) / size.y) : 0; })"""

TABS = ("", "/settings", "/geofences", "/commands", "/status")


class Views:
    """Steps of check-pages."""

    def is_framed(self, when):
        share = self.page.evaluate(FRAMED)
        demand(0.4 < share <= 1, f"the fleet takes {share:.2f} of the map {when}")

    def show_all(self):
        page = self.page
        page.evaluate("location.hash = '#/'")
        page.wait("document.querySelectorAll('.row').length > 0")
        self.is_framed("at the start")
        for place in ("[0, 0], 3", "[10, 100], 14"):
            page.evaluate(f"import('/pages/map.js').then(({{ theMap }}) => {{ theMap().setView({place}, {{ animate: false }}); }})")
            page.evaluate("document.querySelector('.showAll').click()")
            self.is_framed("after Show all")
        # Opened while another view has no map, it is framed when it is shown first.
        page.open("about:blank")
        page.open(self.collector.url + "/#/many")
        page.wait("document.querySelectorAll('.setting').length > 40")
        page.evaluate("location.hash = '#/'")
        page.wait("document.querySelectorAll('.row').length > 0")
        self.is_framed("after a view without a map")

    def tabs(self):
        """They stay where they are, whichever of them is chosen."""
        page = self.page
        for width, height in ((1440, 900), (390, 844)):
            page.screen(width, height)
            tops = set()
            if width < 700:
                page.evaluate("location.hash = '#/v/van%200007'")
                page.wait("document.querySelector('.item')")
                page.evaluate("document.querySelector('.tabs').scrollIntoView()")
            for tab in TABS:
                page.evaluate(f"location.hash = '#/v/van%200007{tab}'")
                page.wait(f"document.querySelector('.tabs a[aria-current]')?.getAttribute('href').endsWith('van%200007{tab}') "
                          "&& document.querySelector('.body')?.children.length > 0")
                tops.add(tuple(page.evaluate("(() => { const box = document.querySelector('.tabs').getBoundingClientRect(); "
                                             "return [Math.round(box.top), Math.round(box.height)]; })()")))
            demand(len(tops) == 1, f"the tabs jump at {width}: {tops}")
        page.screen(1440, 900)

    def failing(self):
        """What cannot be shown leaves nothing of the last view, and says so."""
        page, before = self.page, len(self.page.complaints)
        for address, words in (("#/v/nosuch", "no such device"), ("#/v/%zz", "This is no address of these pages.")):
            page.evaluate("location.hash = '#/v/van%200008/status'")
            page.wait("document.querySelector('#side dl')")
            page.evaluate(f"location.hash = '{address}'")
            page.wait(f"document.getElementById('notice').innerText.includes('{words}')")
            side = page.evaluate("document.getElementById('side').innerText")
            demand("This cannot be shown." in side and "van 0008" not in side, f"under {address} stands {side}")
        # Slow is the same: the last one is gone at once.
        page.evaluate("location.hash = '#/v/van%200008/status'")
        page.wait("document.querySelector('#side dl')")
        page.evaluate("window.plainFetch = window.fetch; window.fetch = () => new Promise(() => {}); location.hash = '#/admin'")
        page.wait("!document.getElementById('side').innerText.includes('van 0008')")
        page.evaluate("window.fetch = () => Promise.reject(new Error('cut')); location.hash = '#/many'; location.hash = '#/admin'")
        page.wait("document.getElementById('side').innerText.includes('This cannot be shown.')")
        page.evaluate("window.fetch = window.plainFetch; [...document.querySelectorAll('#side button')].find((one) => one.innerText === 'Try again').click()")
        page.wait("document.getElementById('side').innerText.includes('What was changed')")
        self.forgive(before, "status of 404")

    def unsent(self):
        """What was changed and not sent outlasts a look elsewhere, and can be dropped."""
        page = self.page
        field = "[...document.querySelectorAll('.setting')].find((one) => one.textContent.includes('motion.stop_timeout_s'))?.querySelector('input')"
        put = lambda value: page.evaluate(f"(() => {{ const input = {field}; input.value = '{value}'; input.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()")
        drop = "[...document.querySelectorAll('.draft button')].find((one) => one.offsetParent)"
        for address in ("#/v/van%200006/settings", "#/many"):
            page.evaluate(f"location.hash = '{address}'")
            page.wait(field)
            demand(page.evaluate("document.querySelector('.draft').hidden"), "something counts as not sent")
            put(777)
            page.evaluate("location.hash = '#/v/van%200006/status'")
            page.wait("document.querySelector('dl')")
            page.evaluate(f"location.hash = '{address}'")
            page.wait(f"{field}?.value === '777'")
            self.picture("unsent")
            page.evaluate(f"{drop}.click()")
            page.wait(f"{field}.value === '' && document.querySelector('.draft').hidden")
        page.evaluate("location.hash = '#/v/van%200007/settings'")
        page.wait(f"{field}?.value === ''")
        # Geofences as well.
        page.evaluate("location.hash = '#/v/van%200006/geofences'")
        page.wait("document.querySelector('#side .tools button')")
        page.evaluate("document.querySelector('#side .tools button').click()")
        page.click(*page.evaluate("(() => { const b = document.getElementById('map').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()"))
        page.wait("document.querySelectorAll('.fences > li').length === 1")
        page.evaluate("location.hash = '#/v/van%200006/commands'")
        page.wait("document.querySelector('form.tools')")
        page.evaluate("location.hash = '#/v/van%200006/geofences'")
        page.wait("document.querySelectorAll('.fences > li').length === 1")
        page.evaluate(f"{drop}.click()")
        page.wait("document.querySelectorAll('.fences > li').length === 0 && document.querySelector('.draft').hidden")

    def lists(self):
        """What was just made stands in its list, and the secret beside it."""
        page = self.page
        says = lambda words: page.wait(f"[...document.querySelectorAll('#side td')].some((one) => one.innerText.includes('{words}'))")
        fill = lambda which, name, value: page.evaluate(f"""(() => {{
          const form = [...document.querySelectorAll('#side form')].find((one) => {which});
          form.elements.{name}.value = '{value}'; form.requestSubmit(); }})()""")
        says("van 0009")
        fill("one.innerText.includes('Make a code')", "device", "van 4711")
        says("van 4711")
        fill("one.elements.target", "target", "https://hooks.example.com/godwit")
        says("hooks.example.com")
        demand(page.evaluate("document.querySelectorAll('.secret').length") == 3, "a secret that is shown once has gone")
        says("POST /v1/webhooks")
