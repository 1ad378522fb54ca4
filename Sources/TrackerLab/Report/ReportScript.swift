/// The script of the report's page. Texts of the data become text nodes, never markup.
enum ReportScript {
  static let all = basics + gestures + map + timeline + tables

  /// Elements, numbers and times as a person reads them, words.
  static let basics = #"""
    const data = JSON.parse(document.getElementById("data").textContent);
    const svgSpace = document.querySelector("svg").namespaceURI;

    /** Strings among the children become text. */
    function fill(element, attributes, children) {
      for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, value);
      element.append(...children.flat(9).filter(child => child != null && child !== "" && child !== false));
      return element;
    }
    const el = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
    const svg = (name, attributes = {}, ...children) =>
      fill(document.createElementNS(svgSpace, name), attributes, children);
    const sum = numbers => numbers.reduce((all, one) => all + one, 0);
    const fixed = (value, decimals) => {
      const text = (Math.round(Math.abs(value) * 10 ** decimals) / 10 ** decimals).toFixed(decimals);
      return value < 0 && Number(text) !== 0 ? "−" + text : text;
    };
    const signed = (value, decimals) => (value < 0 ? "−" : "+") + fixed(Math.abs(value), decimals);
    const counted = (count, one, many = one + "s") => `${count} ${count === 1 ? one : many}`;
    const distance = metres => metres < 999.5 ? fixed(metres, 0) + " m" : fixed(metres / 1000, 1) + " km";
    const speed = mps => fixed(mps * 3.6, 0) + " km/h";
    const bytes = count => count < 1000 ? count + " B"
      : count < 999950 ? fixed(count / 1e3, 1) + " kB" : fixed(count / 1e6, 1) + " MB";

    /** `45 s`, `3 min 20 s`, `12 min`, `2 h 36 min`, `3 d 4 h` */
    function duration(seconds) {
      const whole = Math.round(Math.max(0, seconds)), minutes = Math.floor((whole + 30) / 60);
      const pair = (big, unit, small, smallUnit) =>
        `${Math.floor(big)} ${unit}` + (small ? ` ${small} ${smallUnit}` : "");
      if (whole < 60) return whole + " s";
      if (whole < 600) return pair(whole / 60, "min", whole % 60, "s");
      if (whole < 3570) return minutes + " min";
      if (whole < 86370) return pair(minutes / 60, "h", minutes % 60, "min");
      return pair((minutes + 30) / 1440, "d", Math.floor((minutes + 30) % 1440 / 60), "h");
    }
    const length = span => (span.end_ms - span.start_ms) / 1000;
    const total = spans => sum(spans.map(length));

    /** Times as the clock on the wall shows them where the vehicle is. */
    class Clock {
      constructor(zone) { this.name = zone.name; this.offsets = zone.offsets; }
      offset(ms) { return (this.offsets.findLast(([from]) => from <= ms) ?? this.offsets[0])[1]; }
      wall(ms) { return new Date(ms + this.offset(ms) * 1000); }
      /** The first instant at which the wall shows it, or the end of the leap over it. */
      instant(wall_ms) {
        const shown = this.offsets.map(([from, offset], index) => {
          const to = this.offsets[index + 1]?.[0] ?? Infinity;
          return wall_ms - offset * 1000 < to ? Math.max(index ? from : -Infinity, wall_ms - offset * 1000) : Infinity;
        });
        return Math.min(...shown);
      }
      date(ms) { return this.wall(ms).toISOString().slice(0, 10); }
      time(ms) { return this.wall(ms).toISOString().slice(11, 19); }
      day(ms) {
        const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "), wall = this.wall(ms);
        return `${wall.getUTCDate()} ${months[wall.getUTCMonth()]}`;
      }
      isOneDay(span) { return this.date(span.start_ms) === this.date(span.end_ms); }
      /** The time alone where the whole lies within one day, else with the date before it. */
      within(ms, span) { return (this.isOneDay(span) ? "" : this.day(ms) + " ") + this.time(ms); }
      /** `UTC`, `UTC+1`, `UTC-3:30`: what a summer and a winter are told apart by. */
      label(ms) {
        const minutes = Math.abs(this.offset(ms)) / 60, rest = Math.floor(minutes % 60);
        if (!minutes) return "UTC";
        const hours = (this.offset(ms) < 0 ? "-" : "+") + Math.floor(minutes / 60);
        return `UTC${hours}` + (rest ? ":" + String(rest).padStart(2, "0") : "");
      }
      dateTime(ms) { return `${this.date(ms)} ${this.time(ms)} ${this.label(ms)}`; }
      fromTo(span) {
        const end = (this.isOneDay(span) ? "" : this.date(span.end_ms) + " ") + this.time(span.end_ms);
        return `${this.date(span.start_ms)} ${this.time(span.start_ms)} to ${end} ${this.label(span.end_ms)}`;
      }
    }

    /** Plain words for the names of the protocol. A name without words of its own is shown as it is. */
    const words = {
      gap: {
        parked: "parked", window_closed: "outside the schedule", learning_time: "clock not known yet",
        no_sky: "no fix: no view of the sky", no_fix: "no fix: signals too weak", accuracy: "fixes too inaccurate",
        no_time: "positions without a time", fixes_refused: "fixes refused", gps_silent: "GPS module silent",
        gpsd_lost: "gpsd not reachable", undervoltage: "supply voltage too low", restarting: "GPS module restarting",
        acquiring: "waiting for a fix", board_off: "board asleep", zone_unknown: "zone of the schedule not known",
        paused: "paused by an operator", safe_mode: "safe mode", probe_only: "motion.mode asks for no track",
        ignition_off: "ignition off", storage_failed: "positions dropped: storage failed",
        process_not_running: "agent not running" },
      motion: { moving: "moving", stationary: "parked", unknown: "not known" },
      departure: {
        fixes: "the GPS, which was on", ignition: "the ignition", probe: "a probe", vibration: "vibration",
        cell: "the modem's cell", voltage: "the battery's voltage", acceleration: "the accelerometer" },
      end: {
        stayed: "stood still", ignition: "ignition off", no_fix: "no fix for too long", window: "schedule closed",
        paused: "paused by an operator", safe_mode: "safe mode", superseded: "a new trip began",
        process_ended: "agent was stopped", mode_changed: "another motion.mode", place_changed: "the place was wrong",
        clock_jump: "the clock jumped" },
      rejection: {
        no_time: "without a time", impossible_position: "impossible position", accuracy: "too inaccurate",
        stale: "too old", duplicate: "same time twice", time_backwards: "time ran backwards",
        time_ahead: "date too far ahead", date_not_known: "date not known", elsewhere: "another place, out of reach" },
      warning: {
        gpsd_lost: "connection to gpsd lost", gps_silent: "GPS module silent", gps_no_sky: "no fix: no view of the sky",
        gps_no_fix: "no fix: signals too weak", gps_accuracy: "fixes too inaccurate",
        gps_fixes_refused: "fixes refused", gps_late: "fixes come late", gps_power_line: "GPS power line failed",
        gps_week_rollover: "GPS date repaired", gps_jump: "position jumped", clock_unknown: "clock not known",
        clock_differs: "clock differs from GPS time", clock_jump: "GPS date was wrong",
        identity_changed: "the queue came from another box",
        identity_conflict: "another box sends under the same identity", storage_failed: "disk failed",
        queue_front_failed: "the queue's front cannot be written", records_dropped: "records dropped",
        sync_failed: "sending failed", captive_portal: "a web page answered instead of the server",
        sync_unauthorised: "server refused the credentials", records_refused: "server refused records" } };
    const word = (kind, name) => Object.hasOwn(words[kind], name) ? words[kind][name] : name;

    /** A key and perhaps its value, which breaks between its words and never within. */
    const code = key => el("code", {},
      key.split(/(?<=[.,\/_])/).map((part, index) => index ? [el("wbr"), part] : part));
    /** A small picture and what it means. */
    const legend = items => el("ul", { class: "legend" }, items.map(([width, picture, text]) =>
      el("li", {}, svg("svg", { width, height: 18, "aria-hidden": true }, picture), text)));

    """#
}
