extension ReportScript {
  /// Figures, tables and the page of them.
  static let tables = #"""
    /** Neither parked nor outside the windows, nor the board asleep. */
    const unexplained = result =>
      total(result.gaps.filter(gap => !["parked", "window_closed", "board_off"].includes(gap.cause)));
    const sent = totals => sum(Object.values(totals.bytes));
    const worst = totals => totals.seen_error_m_max == null ? "–" : fixed(totals.seen_error_m_max, 1) + " m";

    /**
     * The first column names its row; numbers, which are all others but the one of `words`, stand to the right.
     * With `stacks`, on a telephone each row is a block of lines, each with its column's title.
     */
    function table(caption, titles, rows, { words = 0, stacks = false, empty = "none" } = {}) {
      if (!rows.length)
        return el("p", { class: "table" }, el("b", {}, caption), " ", el("span", { class: "note" }, empty));
      const side = index => index && index !== words ? "n" : null;
      return el("div", { class: "table", role: "region", "aria-label": caption, tabindex: 0 },
        el("table", { class: stacks ? "stacks" : null }, el("caption", {}, caption),
          el("thead", {}, el("tr", {}, titles.map((title, index) =>
            el("th", { scope: "col", class: side(index) }, title)))),
          el("tbody", {}, rows.map(row => el("tr", {}, row.map((cell, index) => index
            ? el("td", { class: side(index), "data-title": stacks ? titles[index] : null }, cell)
            : el("th", { scope: "row" }, cell)))))));
    }

    function overview(entries) {
      const titles =
        ["Track", "Settings", "GPS on", "Charge", "Trips", "Distance", "Fixes kept", "Worst error", "Sent"];
      return table("Overview", titles, entries.map(({ id, result, result: { totals } }) => [
        el("a", { href: "#" + id }, result.name), result.settings_name, fixed(totals.gps_on_s / 3600, 2) + " h",
        fixed(totals.energy_mah, 0) + " mAh", result.trips.length, distance(totals.distance_m), totals.kept_fixes,
        worst(totals), bytes(sent(totals))]), { words: 1, stacks: true });
    }

    function headline(result) {
      const { totals, trips } = result, share = totals.gps_on_s / ((result.end_ms - result.start_ms) / 1000 || 1) * 100;
      const warnings = sum(Object.values(totals.warnings));
      const tiles = [
        ["GPS on", fixed(totals.gps_on_s / 3600, 2) + " h", fixed(share, 1) + " % of the time"],
        ["Charge used", fixed(totals.energy_mah, 0) + " mAh", `GPS ${fixed(totals.energy_gps_mah, 0)} mAh`],
        ["GPS sessions", totals.gps_sessions, counted(totals.probes, "probe") + " while parked"],
        ["Trips", trips.length,
          !trips.length ? "none" : trips.some(trip => trip.open) ? "one still open" : "all ended"],
        ["Distance", distance(totals.distance_m), "by the odometer"],
        ["Fixes kept", totals.kept_fixes,
          totals.kept_per_km == null ? "no distance to speak of" : fixed(totals.kept_per_km, 1) + " per km"],
        ["Worst error", worst(totals), totals.seen_error_m_p95 == null ? "nothing to measure"
          : `where seen; 95 % within ${fixed(totals.seen_error_m_p95, 1)} m`],
        ["Way that nobody saw", distance(totals.unseen_m), "the GPS was off or starting"],
        ["Time without track", duration(unexplained(result)), "parked and closed not counted"],
        ["Sent", bytes(sent(totals)),
          counted(totals.requests, "request") + (totals.requests_failed ? `, ${totals.requests_failed} failed` : "")],
        ["Records delivered", totals.delivered, totals.queued_at_end + " left in the queue",
          !totals.delivered && totals.queued_at_end],
        ["Queue commits", totals.queue_commits, "writes to the disk"],
        ["Warnings", warnings, warnings ? "see the table below" : "none", warnings]];
      return el("dl", { class: "tiles" }, tiles.map(([name, value, note, isWarning]) =>
        el("div", { class: isWarning ? "warning" : null }, el("dt", {}, name),
          el("dd", {}, el("b", {}, String(value)), el("span", {}, note)))));
    }

    function trips({ result, clock }, show) {
      const titles = ["Trip", "Start", "End", "Duration", "Distance", "Top speed", "Ended"];
      return table("Trips", titles, result.trips.map(trip => {
        const link = el("a", { href: "#", title: "Show on the map" }, String(trip.id));
        link.addEventListener("click", event => { event.preventDefault(); show(trip); });
        return [link, clock.within(trip.start_ms, result), clock.within(trip.end_ms, result), duration(length(trip)),
          distance(trip.distance_m), speed(trip.top_speed_mps),
          trip.open ? "still open at the end" : word("end", trip.end_cause)];
      }), { words: 6, stacks: true });
    }

    function departures({ result, clock }) {
      const time = ms => ms == null ? "–" : clock.within(ms, result);
      const late = it => it.delay_s != null ? duration(it.delay_s) : it.track_began_ms == null ? "–" : "not recorded";
      return table("Departures",
        ["Trip", "Noticed by", "Left after", "Left before", "Track begins", "Late by", "Way that nobody saw"],
        result.departures.map(it => [it.trip, word("departure", it.cause), time(it.left_after_ms),
          time(it.left_before_ms), time(it.track_began_ms), late(it), distance(it.unseen_m)]),
        { words: 1, stacks: true });
    }

    function learnedWeek({ learned_week: week }) {
      const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
      return week && table(
        `Learned of ${counted(Math.round(week.departures), "departure")}: how many it expects an hour while parked`,
        ["Local hour", ...week.per_hour[0].map((_, hour) => String(hour))],
        week.per_hour.map((rates, day) => [days[day], ...rates.map(rate => rate < .05 ? "" : fixed(rate, 1))]));
    }

    /** The small ones, side by side where there is room. */
    function others({ result, map }) {
      const { totals } = result, byKey = (items, key) => Object.entries(Object.groupBy(items, item => item[key]));
      const counts = (caption, first, counts, text) => table(caption, [first, "Times"],
        Object.entries(counts).sort(([, one], [, other]) => other - one).map(([name, count]) => [text(name), count]));
      const warning = name => words.warning[name] ? `${word("warning", name)} (${name})` : name;
      const gaps = byKey(result.gaps, "cause").sort(([, one], [, other]) => total(other) - total(one));
      const fences = byKey(result.geofence_events, "geofence").sort();
      const charge = ["gps", "board", "modem", "radio"].map(name => totals[`energy_${name}_mah`]);
      return el("div", { class: "tables" },
        table("Times without a track", ["Cause", "Times", "Total", "Longest"], gaps.map(([cause, spans]) =>
          [word("gap", cause), spans.length, duration(total(spans)), duration(Math.max(...spans.map(length)))])),
        map.has_geofences && table("Geofence events", ["Geofence", "Entered", "Left", "Dwelt"],
          fences.map(([name, events]) => [name, ...["ENTER", "EXIT", "DWELL"].map(action =>
            events.filter(event => event.action === action).length)])),
        table("Charge by consumer", ["Consumer", "Charge", "Share"],
          ["GPS module", "Board", "Modem, idle", "Radio", "All"].map((name, index) => {
            const mAh = charge[index] ?? totals.energy_mah;
            return [name, fixed(mAh, 1) + " mAh", fixed(mAh / (totals.energy_mah || 1) * 100, 0) + " %"];
          })),
        table("Sent by format", ["Format", "Bytes"],
          Object.entries(totals.bytes).map(([format, count]) => [format, bytes(count)]), { empty: "nothing" }),
        counts("Rejected fixes", "Why", totals.rejected, name => word("rejection", name)),
        counts("Warnings", "Warning", totals.warnings, warning));
    }

    // MARK: Several settings

    /** A column for each, and how they differ from the first: absolute and in per cent. */
    function comparison(entries) {
      const names = entries.map(({ result }) => result.settings_name), others = names.slice(1);
      const own = entries.map(({ result }) => new Map(result.changed_settings.map(line => {
        const sign = line.indexOf("=");
        return [line.slice(0, sign).trim(), line.slice(sign + 1).trim()];
      })));
      const keys = [...new Set(own.flatMap(settings => [...settings.keys()]))].sort()
        .filter(key => new Set(own.map(settings => settings.get(key))).size > 1);
      const settings = keys.map(key => [code(key), ...own.map(settings => settings.has(key) ? code(settings.get(key))
        : [code(data.defaults[key] ?? "?"), " ", el("small", {}, "default")]), ...others.flatMap(() => ["", ""])]);
      const kinds = new Map(entries.flatMap(entry => entry.figures).map(([title, , decimals]) => [title, decimals]));
      const figures = [...kinds].map(([title, decimals]) => {
        const values = entries.map(entry => entry.figures.find(figure => figure[0] === title)?.[1]);
        const texts = values.map(value => value == null ? "–" : fixed(value, decimals));
        const change = (value, index) => value == null || values[0] == null ? ["–", "–"]
          : texts[index] === texts[0] ? ["=", ""] : [signed(value - values[0], decimals),
            values[0] ? signed((value - values[0]) / Math.abs(values[0]) * 100, 0) : "–"];
        return [title, ...texts, ...values.flatMap((value, index) => index ? change(value, index) : [])];
      });
      const titles = others.flatMap(name => [others.length === 1 ? "Change" : "Change to " + name, "%"]);
      return el("div", { class: "comparison" },
        table("Settings side by side", ["", ...names, ...titles], [...settings, ...figures]),
        el("p", { class: "note" }, `Changes are from ${names[0]}. Above the figures: the settings that differ.`));
    }

    /** The trips that overlap, of whichever settings, are one drive. */
    function drives(entries) {
      const most = 200, drives = [];
      const all = entries.flatMap(({ result }, index) => result.trips.map(trip => ({ index, trip })));
      all.sort((one, other) => one.trip.start_ms - other.trip.start_ms || one.index - other.index);
      for (const { index, trip } of all) {
        let drive = drives.at(-1);
        if (!drive || trip.start_ms > drive.end_ms)
          drives.push(drive = { start_ms: trip.start_ms, end_ms: trip.end_ms, trips: entries.map(() => []) });
        drive.end_ms = Math.max(drive.end_ms, trip.end_ms);
        drive.trips[index].push(trip);
      }
      const { clock, result: first } = entries[0], metres = trips => sum(trips.map(trip => trip.distance_m));
      const small = (value, base, least, text) => base == null || Math.abs(value - base) < least ? []
        : [" ", el("small", {}, (value < base ? "−" : "+") + text(Math.abs(value - base)))];
      const cells = (drive, { result }, index) => {
        const trips = drive.trips[index], base = index && drive.trips[0].length ? drive.trips[0] : null;
        const start = trips[0]?.start_ms;
        if (!trips.length) return ["no trip", "", "", ""];
        const departures = result.departures.filter(departure => trips.some(trip => trip.id === departure.trip));
        const delays = departures.map(departure => departure.delay_s).filter(delay => delay != null);
        return [[clock.within(start, first), small(start, base?.[0].start_ms, 500, ms => duration(ms / 1000))],
          [distance(metres(trips)), small(metres(trips), base && metres(base), 1, distance)],
          delays.length ? duration(Math.max(...delays)) : "–", distance(sum(departures.map(it => it.unseen_m)))];
      };
      const titles = entries.flatMap(({ result }) =>
        ["start", "distance", "late by", "nobody saw"].map(title => `${result.settings_name}: ${title}`));
      const more = drives.length - most;
      const rows = drives.slice(0, most).map(drive =>
        [clock.within(drive.start_ms, first), ...entries.flatMap((entry, index) => cells(drive, entry, index))]);
      return el("div", { class: "comparison" },
        table("Drive by drive", ["Drive", ...titles], rows, { stacks: true, empty: "there was none" }),
        el("p", { class: "note" }, "Times and distances after the first settings have their difference behind them."
          + (more > 0 ? ` ${counted(more, "further drive is", "further drives are")} left out.` : "")));
    }

    /** The two that are bought with each other, over the values of one setting; both axes begin at 0. */
    function sweepPlot(entries, key) {
      const [width, height, left, right, top, bottom] = [640, 300, 60, 580, 30, 250];
      const series = [["charge of the GPS", "mAh", 0, entries.map(({ result }) => result.totals.energy_gps_mah)],
        ["way that nobody saw", "km", 2, entries.map(({ result }) => result.totals.unseen_m / 1000)]]
        .map(([name, unit, decimals, values]) =>
          ({ name, unit, decimals, values, most: Math.max(1e-9, ...values) * 1.1 }));
      // Values stand side by side, evenly: they are rarely spaced so themselves.
      const x = index => left + (right - left) / entries.length * (index + .5);
      const y = share => bottom - (bottom - top) * share;
      const drawn = series.map(({ name, unit, decimals, values, most }, number) => {
        const style = "s" + number, points = values.map((value, index) => [x(index), y(value / most)]);
        const side = number ? { x: right + 6, class: "right" } : { x: left - 6, class: "left" };
        return [svg("path", { class: style, d: "M" + points.join("L") }),
          points.map(([cx, cy]) => svg("circle", { class: style, cx, cy, r: 4 })),
          [0, .5, 1].map(share => svg("text", { ...side, y: y(share) + 4 }, fixed(most * share, decimals))),
          svg("text", { class: style, x: number ? width - 4 : 4, y: 14 }, `${name}, ${unit}`)];
      });
      const words = entries.map((entry, index) => `${entry.value}: `
        + series.map(({ unit, decimals, values }) => `${fixed(values[index], decimals)} ${unit}`).join(", "));
      const label = `What ${key} costs and brings. ${words.join("; ")}.`;
      return el("figure", { class: "plot" },
        svg("svg", { role: "img", viewBox: `0 0 ${width} ${height}`, "aria-label": label },
          [0, .5, 1].map(share => svg("path", { class: "rule", d: `M${left} ${y(share)}H${right}` })), drawn,
          entries.map((entry, index) => svg("text", { x: x(index), y: bottom + 18 }, entry.value)),
          svg("text", { x: (left + right) / 2, y: bottom + 40 }, key)),
        el("figcaption", {}, "Left the charge that the GPS takes, right and dashed the way that nobody saw; both axes "
          + "begin at 0."));
    }

    const sweepTable = (entries, { key, titles }) => table("What each value costs and brings", [key, ...titles],
      entries.map(entry => [code(entry.value), ...entry.cells]), { stacks: true });

    /** More lines would hide each other. */
    const overlay = entries =>
      [el("h3", {}, "All settings on one map"), new GroundMap(entries.slice(0, 4), new Instant()).element];

    // MARK: The page

    const changes = (lines, label) =>
      el("ul", { class: "changes", "aria-label": label }, lines.map(line => el("li", {}, code(line))));

    function article(entry) {
      const { id, result } = entry, instant = new Instant(), map = new GroundMap([entry], instant);
      const timeline = new Timeline(entry, instant, map.line);
      const hint = "Point at the map or the timeline to see when and how fast; a click or a tap keeps the instant.";
      const words = el("output", { class: "instant note" }, hint), line = el("p", { class: "instant" }, words);
      instant.watchers.push(ms => words.textContent = ms === null ? hint : timeline.words(ms));
      const show = trip => {
        map.show(map.trips.find(({ id }) => id === trip.id));
        timeline.show({ start_ms: trip.start_ms - 60000, end_ms: trip.end_ms + 60000 });
        map.element.scrollIntoView({ block: "nearest" });
      };
      return el("article", { id }, el("h3", {}, `Settings: ${result.settings_name} `, el("code", {}, result.settings)),
        result.changed_settings.length ? changes(result.changed_settings, "Settings that differ from the defaults")
          : el("p", { class: "note" }, "All settings are at their defaults."),
        headline(result), el("h4", {}, "Map"), map.element, line, el("h4", {}, "Timeline"), timeline.element,
        el("h4", {}, "Details"), trips(entry, show), departures(entry), learnedWeek(result), others(entry));
    }

    function section(entries) {
      const { clock, result } = entries[0];
      const when = `${clock.fromTo(result)}, ${duration(length(result))}`;
      const head = [el("h2", {}, result.name), el("p", { class: "note" }, when)];
      if (data.sweep) return el("section", {}, head, sweepPlot(entries, data.sweep.key),
        sweepTable(entries, data.sweep), overlay(entries));
      const assumed = result.changed_assumptions;
      return el("section", {}, head,
        assumed.length ? [el("p", { class: "note" }, "Assumed:"), changes(assumed, "Assumptions that differ")] : [],
        entries.length > 1 ? [comparison(entries), drives(entries), overlay(entries)] : [], entries.map(article));
    }

    function zones(names) {
      if (names.length > 1) return `Times are those of each settings file's zone: ${names.join(", ")}.`;
      return /^(Etc\/)?UTC$/.test(names[0]) ? "All times are UTC."
        : `All times are those of the vehicle's zone, ${names[0]}.`;
    }

    function page() {
      const main = document.querySelector("main"), all = data.tracks.flat();
      data.tracks.forEach(entries => entries.forEach(entry => Object.assign(entry, { clock: new Clock(entry.zone),
        start: entry.result.start_ms, recorded: entry.map.recorded ?? entries[0].map.recorded })));
      all.forEach((entry, index) => entry.id = "r" + (index + 1));
      if (!all.length) return main.replaceChildren(el("p", {}, "There are no results."));
      const names = [...new Set(all.map(entry => entry.result.name))];
      document.title = `Godwit simulation: ${names[0]}` + (names.length > 1 ? ` and ${names.length - 1} more` : "");
      document.getElementById("zones").textContent = zones([...new Set(all.map(entry => entry.clock.name))].sort());
      if (all.length > 1 && !data.sweep) document.querySelector("header").append(overview(all));
      main.replaceChildren(...data.tracks.map(section));
      drawings.forEach(draw => draw());
    }
    page();

    """#
}
