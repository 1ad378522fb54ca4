extension ReportScript {
  /// What happened when: one strip under another, and the times below.
  static let timeline = #"""
    class Timeline {
      static steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

      constructor(entry, instant, line) {
        const { result, start, clock } = entry;
        Object.assign(this, { entry, instant, line, clock, result });
        this.all = { start_ms: start, end_ms: Math.max(result.end_ms, start + 1000) };
        this.view = { ...this.all };
        this.depths = entry.queue.map(([s, records]) => [start + s * 1000, records]);
        this.requests = entry.requests.map(([s, status, isDelivered]) =>
          ({ ms: start + s * 1000, status, isDelivered }));
        this.strips = [this.speed(), this.schedule(), this.power(), this.motion(), this.gaps(), this.queue(),
          this.sync()].filter(strip => strip);
        for (const strip of this.strips) strip.picture = svg("svg", { role: "img", height: strip.height,
          preserveAspectRatio: "none", "aria-label": `${strip.name}: ${strip.summary}` });
        this.axis = svg("svg", { class: "axis", height: 34, "aria-hidden": true });
        this.cursor = el("div", { class: "cursor", hidden: "" });
        this.pane = el("div", { class: "pane", tabindex: 0, role: "group",
          "aria-label": "Timeline: arrow keys choose an instant, wheel or + and - zoom, 0 shows all" },
          this.strips.map(({ name, summary, legend: key, picture }) => el("div", { class: "strip" },
            el("div", { class: "head" }, el("p", {}, el("b", {}, name), " ", el("span", {}, summary)), legend(key)),
            picture)), this.axis, this.cursor);
        this.element = el("figure", { class: "timeline" }, this.pane, gestures(this.pane, this.gestures()),
          el("figcaption", {}, `From left to right the whole recording, in the time of ${clock.name}: how fast it `
            + "went, when the schedule allowed a track, when the GPS had power, whether the vehicle moved, why no "
            + "track was made, how many records waited, and when they were sent. Of spans too short to be drawn apart the "
            + "height is the share of the time that they cover: zoom in."));
        this.change = shown(this.pane, width => this.draw(width));
        instant.watchers.push(ms => this.mark(ms));
      }

      // MARK: View

      get isWhole() { return this.view.start_ms === this.all.start_ms && this.view.end_ms === this.all.end_ms; }
      x(ms) { return (ms - this.view.start_ms) / (this.view.end_ms - this.view.start_ms) * this.width; }
      ms(x) {
        const share = Math.min(1, Math.max(0, x / this.width));
        return Math.round(this.view.start_ms + share * (this.view.end_ms - this.view.start_ms));
      }

      gestures() {
        return {
          pan: dx => this.pan(dx), drag: (dx, dy, x) => this.isWhole ? this.instant.pin(this.ms(x)) : this.pan(dx),
          whole: () => this.show(this.all), zoom: (factor, x) => this.zoom(factor, x),
          hover: x => this.instant.point(x === null ? null : this.ms(x)), tap: x => this.tap(x),
          key: (dx, dy) => !dy && this.step(dx) };
      }

      show(span) {
        const length = Math.min(this.all.end_ms - this.all.start_ms, Math.max(10000, span.end_ms - span.start_ms));
        const start_ms = Math.min(this.all.end_ms - length, Math.max(this.all.start_ms, span.start_ms));
        this.view = { start_ms, end_ms: start_ms + length };
        this.change();
      }

      pan(dx) {
        const by_ms = dx / this.width * (this.view.end_ms - this.view.start_ms);
        this.show({ start_ms: this.view.start_ms - by_ms, end_ms: this.view.end_ms - by_ms });
      }

      zoom(factor, x) {
        const before = this.view, at_ms = before.start_ms + x / this.width * (before.end_ms - before.start_ms);
        const length = (before.end_ms - before.start_ms) / factor;
        this.show({ start_ms: at_ms - x / this.width * length, end_ms: at_ms + (1 - x / this.width) * length });
        return this.view.start_ms !== before.start_ms || this.view.end_ms !== before.end_ms;
      }

      /** A second click on a pinned instant frees it. */
      tap(x) {
        const isFree = x === null || this.instant.isPinned && Math.abs(this.x(this.instant.ms) - x) < 6;
        this.instant.pin(isFree ? null : this.ms(x));
      }

      step(by) {
        const from = this.instant.ms === null ? this.width / 2 : this.x(this.instant.ms) + 2 * by;
        this.instant.pin(this.ms(from));
      }

      mark(ms) {
        this.cursor.hidden = ms === null || ms < this.view.start_ms || ms > this.view.end_ms;
        if (!this.cursor.hidden) this.cursor.style.left = this.x(ms) + "px";
      }

      draw(width = this.pane.clientWidth) {
        if (!width) return;
        this.width = width;
        const ticks = this.ticks();
        const grid = ticks.map(({ ms }) => `M${this.x(ms)} 0V99`).join("");
        for (const strip of this.strips) {
          strip.picture.setAttribute("viewBox", `0 0 ${width} ${strip.height}`);
          strip.picture.replaceChildren(svg("path", { class: "grid", d: grid }), ...strip.draw(strip.height).flat());
        }
        this.axis.setAttribute("viewBox", `0 0 ${width} 34`);
        this.axis.replaceChildren(...ticks.map(tick => this.label(tick, 13)),
          ...this.dates().map(tick => this.label(tick, 30, "date")));
        this.mark(this.instant.ms);
      }

      // MARK: Times

      /** Instants at which the wall shows a multiple of so many seconds. */
      roundTimes(step_s) {
        const wall = this.clock.wall(this.view.start_ms).getTime(), times = [];
        for (let next = Math.ceil(wall / 1000 / step_s) * step_s * 1000; times.length < 400; next += step_s * 1000) {
          const ms = this.clock.instant(next);
          if (ms > this.view.end_ms) break;
          // Of an hour that the wall leaps over, begin and end are one instant.
          if (ms >= this.view.start_ms && times.at(-1) !== ms) times.push(ms);
        }
        return times;
      }

      ticks() {
        const wanted_s = (this.view.end_ms - this.view.start_ms) / 1000 / Math.max(3, Math.min(12, this.width / 75));
        const step_s = Timeline.steps.find(step => step >= wanted_s) ?? Math.ceil(wanted_s / 86400) * 86400;
        this.isByDay = step_s >= 86400;
        return this.roundTimes(step_s).map(ms => ({ ms, text: this.isByDay ? this.clock.day(ms)
          : this.clock.time(ms).slice(0, step_s < 60 ? 8 : 5) }));
      }

      /** The dates under the times: at the start and at each midnight. */
      dates() {
        if (this.isByDay) return [];
        const dates = this.roundTimes(86400).filter(ms => ms < this.view.end_ms);
        if (!dates.length || this.x(dates[0]) > .15 * this.width) dates.unshift(this.view.start_ms);
        return dates.map(ms => ({ ms, text: this.clock.day(ms) }));
      }

      /** At the edges a label leans inwards. */
      label({ ms, text }, y, style) {
        const share = this.x(ms) / this.width;
        return svg("text", { x: this.x(ms), y, class: style,
          "text-anchor": share < .05 ? "start" : share > .95 ? "end" : null }, text);
      }

      // MARK: Strips

      /** - Parameter kinds: style, share of the height, name, spans. */
      strip(name, summary, kinds, height = 22) {
        const used = kinds.filter(([, , , spans]) => spans.length);
        const key = ([style, share, name]) =>
          [14, svg("rect", { class: style, x: 1, y: 15 - 12 * share, width: 12, height: 12 * share }), name];
        return { name, summary, height, legend: used.map(key),
          draw: height => used.map(([style, share, , spans]) =>
            svg("path", { class: style, d: this.bars(spans, height, Math.round(height * share)) })) };
      }

      /** Of spans too short to be drawn apart the height is the share of the time that they cover. */
      bars(spans, height, tall) {
        const cover = new Float64Array(Math.ceil(this.width / 2) + 1);
        let d = "";
        for (const { start_ms, end_ms } of spans) {
          const from = Math.max(0, this.x(start_ms)), to = Math.min(this.width, this.x(end_ms));
          if (to < from) continue;
          if (to - from >= 3) { d += `M${from.toFixed(1)} ${height}v${-tall}H${to.toFixed(1)}v${tall}z`; continue; }
          for (let piece = Math.floor(from / 2); piece <= to / 2; piece += 1)
            cover[piece] += Math.max(.02, Math.min(to, 2 * piece + 2) - Math.max(from, 2 * piece));
        }
        cover.forEach((part, piece) => {
          const high = Math.min(tall, Math.max(2, tall * part / 2)).toFixed(1);
          if (part) d += `M${2 * piece} ${height}v-${high}h2v${high}z`;
        });
        return d;
      }

      /** The largest value of each pixel. */
      area(style, height, most, fill) {
        const columns = new Float64Array(Math.ceil(this.width) + 1);
        fill((from, to, one, other) => {
          const [x1, x2] = [Math.floor(this.x(from)), Math.floor(this.x(to))];
          for (let x = Math.max(0, x1); x <= Math.min(columns.length - 1, x2); x += 1)
            columns[x] = Math.max(columns[x], one + (other - one) * (x2 > x1 ? (x - x1) / (x2 - x1) : 0));
        });
        let d = `M0 ${height}`, last = 0;
        columns.forEach((value, x) => {
          if (value !== last) d += `H${x}V${(height - (height - 1) * value / most).toFixed(1)}`;
          last = value;
        });
        return [svg("path", { class: style, d: `${d}H${this.width}V${height}z` })];
      }

      speed() {
        let most = 0;
        for (const [, , one, other] of this.line.speeds()) most = Math.max(most, one, other);
        if (!(most > 0)) return null;
        return { name: "Speed", summary: "at most " + speed(most), height: 40, legend: [],
          // Slower than 10 km/h is noise, and looks like it.
          draw: height => this.area("speed", height, Math.max(most, 2.8), add => {
            for (const [from, to, one, other] of this.line.speeds()) add(from[0], to[0], one, other);
          }) };
      }

      schedule() {
        const spans = this.result.windows;
        const open = `open ${duration(total(spans))} in ${counted(spans.length, "window")}`;
        return this.strip("Schedule", spans.length ? open : "never open", [["open", 1, "open", spans]], 12);
      }

      power() {
        const { gps_on_s, gps_sessions } = this.result.totals;
        return this.strip("GPS power", `on ${duration(gps_on_s)} in ${counted(gps_sessions, "session")}`,
          [["power", 1, "on", this.result.gps_on]]);
      }

      motion() {
        const of = state => this.result.motion.filter(span => span.state === state);
        const looks = [["stationary", .25], ["unknown", .6], ["moving", 1]];
        return this.strip("Motion", `moving ${duration(total(of("moving")))}`,
          looks.map(([state, share]) => [state, share, word("motion", state), of(state)]));
      }

      /** The worse, the taller; what is expected hardly shows. */
      gaps() {
        const looks = { parked: ["stationary", .2], board_off: ["closed", .2], window_closed: ["closed", .2],
          acquiring: ["acquiring", .5], learning_time: ["learning", .5], no_sky: ["nosky", .8], no_fix: ["nosky", .8] };
        const kinds = [...new Set(this.result.gaps.map(gap => gap.cause))].sort().map(cause =>
          [...(Object.hasOwn(looks, cause) ? looks[cause] : ["lost", 1]), word("gap", cause),
            this.result.gaps.filter(gap => gap.cause === cause)]);
        return this.strip("No track",
          "neither parked nor outside the schedule: " + duration(unexplained(this.result)), kinds);
      }

      queue() {
        const most = Math.max(0, ...this.depths.map(([, records]) => records));
        return { name: "Waiting to be sent", height: 40, legend: [],
          summary: `at most ${counted(most, "record")}, ${this.result.totals.queued_at_end} at the end`,
          draw: height => most ? this.area("queue", height, most, add => this.depths.forEach(([ms, records], index) =>
            add(ms, this.depths[index + 1]?.[0] ?? this.all.end_ms, records, records))) : [] };
      }

      sync() {
        const [sent, failed] = [1, 0].map(isDelivered => this.requests.filter(it => it.isDelivered === isDelivered));
        const apart = (requests, pixels) => {
          let last = -pixels;
          const seen = requests.map(request => ({ ...request, x: this.x(request.ms) }));
          return seen.filter(({ x }) => x >= 0 && x <= this.width && x - last >= pixels && (last = x, true));
        };
        const cross = (x, y, ...title) => svg("use", { href: "#cross", class: "failed", x, y }, ...title);
        const why = request => svg("title", {}, `failed ${this.clock.dateTime(request.ms)}: `
          + (request.status ? "status " + request.status : "no reply"));
        const ticks = height => apart(sent, 1).map(({ x }) => `M${x.toFixed(1)} 3V${height - 3}`).join("");
        return { name: "Sending", height: 22,
          summary: `${counted(this.requests.length, "request")}, ${failed.length} failed`,
          legend: [...(sent.length ? [[14, svg("path", { class: "sent", d: "M7 3V15" }), "delivered"]] : []),
            ...(failed.length ? [[14, cross(7, 9), "failed"]] : [])],
          draw: height => [svg("path", { class: "sent", d: ticks(height) }),
            apart(failed, 4).map(request => cross(request.x, height / 2, why(request)))] };
      }

      // MARK: The instant in words

      words(ms) {
        const { result, clock } = this, within = span => span.start_ms <= ms && ms < span.end_ms;
        const place = this.line.at(ms), trip = result.trips.find(trip => trip.start_ms <= ms && ms <= trip.end_ms);
        const state = result.motion.find(within)?.state, gap = result.gaps.find(within)?.cause;
        const waiting = this.depths.findLast(([from]) => from <= ms)?.[1] ?? 0;
        return [clock.dateTime(ms), place?.mps == null ? "" : speed(place.mps), trip ? "trip " + trip.id : "",
          state ? word("motion", state) : "", gap && gap !== "parked" ? "no track: " + word("gap", gap) : "",
          "GPS " + (result.gps_on.some(within) ? "on" : "off"), counted(waiting, "record waits", "records wait")]
          .filter(part => part).join(" · ");
      }
    }

    """#
}
