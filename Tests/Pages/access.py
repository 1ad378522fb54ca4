"""Who may, and what was done: for admins."""
import json
import urllib.error
import urllib.request

from collector import demand, execute

NEW_PASSWORD = "battery staple horse"


class Access:
    """A step of check-pages."""

    def can_log_in(self, name, password):
        request = urllib.request.Request(self.collector.url + "/v1/session", json.dumps({"name": name, "password": password}).encode(),
                                         {"Content-Type": "application/json"})
        try:
            return urllib.request.urlopen(request).status == 200
        except urllib.error.HTTPError as refusal:
            demand(refusal.code == 403, f"a login is answered with {refusal.code}")
            return False

    def access(self):
        """Another one's password, and the log page by page."""
        page = self.page
        page.evaluate("[...document.querySelectorAll('nav button')].find((one) => one.innerText === 'Log out').click()")
        page.wait("document.querySelector('#side h2')?.innerText === 'Log in'")
        self.enter("root")
        page.wait("document.querySelectorAll('.row').length > 0", 60)
        execute(self.database, "BEGIN;" + "".join(
            "INSERT INTO audit (time_ms, who, action, device, status) VALUES "
            f"({self.now_ms + number}, 'anna', 'PUT /v1/devices/van%200003/config?{number}', 'van 0003', 200);"
            for number in range(250)) + "COMMIT;")
        page.evaluate("location.hash = '#/admin'")
        lines = "document.querySelectorAll('.audit tbody tr')"
        page.wait(f"{lines}.length === 200")
        older = "[...document.querySelectorAll('.audit button')].find((one) => one.innerText === 'Older')"
        page.evaluate(f"{older}.click()")
        page.wait(f"{lines}.length > 250 && document.querySelector('.audit').innerText.includes('van%200009/config')")
        numbers = page.evaluate(f"[...{lines}].map((one) => /config\\?(\\d+)/.exec(one.innerText)?.[1]).filter((one) => one !== undefined)")
        demand(numbers == [str(number) for number in reversed(range(250))], f"the log has lines twice, or not all: {numbers}")
        page.wait(f"{older}.hidden")
        ask = lambda name: page.evaluate(f"(() => {{ const form = document.querySelector('.audit form'); form.elements.device.value = '{name}'; form.requestSubmit(); }})()")
        ask("van 0009")
        page.wait(f"{lines}.length > 0 && [...{lines}].every((one) => one.innerText.includes('van%200009'))")
        ask("nobody")
        page.wait(f"{lines}.length === 0 && document.querySelector('.audit').innerText.includes('None.')")
        ask("")
        page.wait(f"{lines}.length === 200")
        row = lambda name: f"[...document.querySelectorAll('#side tr')].find((one) => one.cells[0].innerText === '{name}')"
        demand(page.evaluate(f"{row('root')}.querySelector('a').getAttribute('href')") == "#/password", "one's own password is set as another one's")
        page.evaluate(f"{row('victor')}.querySelector('summary').focus()")
        page.key("Enter", text="\r")
        page.wait(f"{row('victor')}.querySelector('details').open")
        for width, height in ((390, 844), (1440, 900)):
            page.screen(width, height)
            self.is_narrow(f"access at {width}")
            self.picture(f"access-password-{width}", whole=width < 700)
        page.key("Tab")
        page.type("short")
        page.key("Enter", text="\r")
        page.wait("document.getElementById('notice').innerText.includes('12')")
        page.evaluate(f"{row('victor')}.querySelector('input').select()")
        page.type(NEW_PASSWORD)
        page.key("Enter", text="\r")
        page.wait("document.getElementById('notice').innerText === 'victor has a new password, and has to log in again.'", 60)
        demand(self.can_log_in("victor", NEW_PASSWORD), "the new password does not open")
        demand(not self.can_log_in("victor", "correct horse battery"), "the old password still opens")
