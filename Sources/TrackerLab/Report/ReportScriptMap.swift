extension ReportScript {
  /// Places are metres east and south of the first point, on a plane that touches the earth.
  static let map = #"""
    /** Recorded or kept points in runs: `[ms, x, y, m/s]`. */
    class Line {
      constructor(runs) { this.runs = runs.filter(run => run.length); }

      static between(from, to, share) {
        const [ms, x, y] = [0, 1, 2].map(index => from[index] + (to[index] - from[index]) * share);
        const seconds = (to[0] - from[0]) / 1000;
        const mps = from[3] != null && to[3] != null ? from[3] + (to[3] - from[3]) * share
          : seconds > 0 ? Math.hypot(to[1] - from[1], to[2] - from[2]) / seconds : from[3];
        return { ms, x, y, mps };
      }

      /** null in a pause */
      at(ms) {
        const run = this.runs.find(run => run[0][0] <= ms && ms <= run.at(-1)[0]);
        if (!run) return null;
        let [low, high] = [0, run.length - 1];
        while (high - low > 1) {
          const middle = (low + high) >> 1;
          if (run[middle][0] <= ms) low = middle; else high = middle;
        }
        return Line.between(run[low], run[high], (ms - run[low][0]) / (run[high][0] - run[low][0] || 1));
      }

      nearest(x, y, reach) {
        let best = null, least = reach * reach;
        for (const run of this.runs) for (let index = 0; index < run.length; index += 1) {
          const from = run[index], to = run[index + 1] ?? from, dx = to[1] - from[1], dy = to[2] - from[2];
          const along = ((x - from[1]) * dx + (y - from[2]) * dy) / (dx * dx + dy * dy || 1);
          const share = Math.min(1, Math.max(0, along));
          const far = (from[1] + share * dx - x) ** 2 + (from[2] + share * dy - y) ** 2;
          if (far < least) [least, best] = [far, [from, to, share]];
        }
        return best && Line.between(...best);
      }

      /** Of each two neighbours: from, to, and the speed at both. */
      *speeds() {
        for (const run of this.runs) for (let index = 1; index < run.length; index += 1)
          yield [run[index - 1], run[index], Line.between(run[index - 1], run[index], 0).mps,
            Line.between(run[index - 1], run[index], 1).mps];
      }
    }

    /** The points of results of one track on one plane. */
    function onPlane(results) {
      const shown = [...results[0].recorded.flat(), ...results[0].map.kept];
      const [, lat0, lon0] = shown[0] ?? [0, 0, 0], [least, most] = shown.length ? extent(shown, 1) : [0, 0];
      const perDegree = 111195, perLongitude = perDegree * Math.cos((least + most) / 2 * Math.PI / 180);
      return (lat, lon) => [((lon - lon0 + 540) % 360 - 180) * perLongitude, (lat0 - lat) * perDegree];
    }
    const extent = (points, index) => points.reduce(
      ([least, most], point) => [Math.min(least, point[index]), Math.max(most, point[index])], [Infinity, -Infinity]);
    const during = (line, span) => line.filter(([ms]) => ms >= span.start_ms && ms <= span.end_ms);
    const path = runs => runs.filter(run => run.length).map(run => "M" + run.map(point =>
      point[1].toFixed(1) + " " + point[2].toFixed(1)).join("L") + (run.length === 1 ? "h0" : "")).join("");

    /** One result with all its marks, or the lines of several. */
    class GroundMap {
      static mostNumbers = 40; static mostNames = 12; static leastWidth = 200;

      constructor(results, instant) {
        Object.assign(this, { results, instant, first: results[0], project: onPlane(results) });
        const point = entry => ([s, lat, lon, mps]) => [entry.start + s * 1000, ...this.project(lat, lon), mps];
        this.recorded = new Line(this.first.recorded.map(run => run.map(point(this.first))));
        this.kept = results.map(entry => entry.map.kept.map(point(entry)));
        this.trips = this.first.result.trips.map(trip => ({ ...trip, line: during(this.kept[0], trip) }));
        this.stops = this.first.map.stops.map(([start_ms, end_ms, lat, lon]) =>
          ({ start_ms, end_ms, at: this.project(lat, lon) }));
        this.line = this.recorded.runs.length ? this.recorded : new Line(this.trips.map(trip => trip.line));
        this.isAlone = results.length === 1;
        this.world = svg("g", {}, this.lines());
        this.marks = svg("g");
        this.here = svg("g", { class: "here" });
        const label = `Map of ${this.first.result.name}. ${this.description()}`;
        this.picture = svg("svg", { role: "img", "aria-label": label }, this.world, this.marks, this.here);
        this.pane = el("div", { class: "pane", tabindex: 0, role: "group",
          "aria-label": "Map: drag, wheel or + and - zoom, 0 shows all" }, this.picture);
        this.element = el("figure", { class: "map" }, this.pane, gestures(this.pane, this.gestures()),
          legend(this.legend()), el("figcaption", {}, this.caption()));
        this.change = shown(this.pane, width => this.draw(width));
        instant.watchers.push(ms => this.mark(ms));
      }

      gestures() {
        return {
          pan: (dx, dy) => this.pan(dx, dy), drag: (dx, dy) => this.pan(dx, dy),
          key: (x, y) => this.pan(-60 * x, -60 * y), whole: () => this.show(null),
          zoom: (factor, x, y) => this.zoom(factor, x, y),
          hover: (x, y) => this.instant.point(x === null ? null : this.find(x, y, 24)),
          tap: (x, y) => this.instant.pin(x === null ? null : this.find(x, y, 40)) };
      }

      // MARK: What is drawn once

      lines() {
        const { map } = this.first, radius = map.stationary_radius_m;
        const ofTrips = (entry, index) => entry.result.trips.map(trip => during(this.kept[index], trip));
        const kept = this.isAlone
          ? this.trips.map(trip => trip.path = svg("path", { class: "kept", d: path([trip.line]) }))
          : this.results.map((entry, index) => svg("path", { class: "kept k" + index, d: path(ofTrips(entry, index)) },
              svg("title", {}, entry.result.settings_name)));
        const recorded = svg("path", { class: "recorded", d: path(this.recorded.runs) });
        if (!this.isAlone) return [recorded, kept];
        this.geofences = (map.geofences ?? []).map(fence => {
          const title = svg("title", {}, "geofence " + fence.id);
          if (fence.centre) {
            const [x, y] = this.project(...fence.centre);
            const shape = svg("circle", { class: "geofence", cx: x, cy: y, r: fence.radius_m }, title);
            return { name: fence.id, shape, points: [[0, x, y]], radius: fence.radius_m };
          }
          const runs = fence.lines.map(line => line.map(place => [0, ...this.project(...place)]));
          const shape = svg("path", { class: "geofence", d: path(runs) }, title);
          return { name: fence.id, shape, points: runs.flat() };
        });
        const dots = this.kept[0].map(point => [point]);
        return [recorded, this.geofences.map(fence => fence.shape),
          this.stops.map(({ at: [x, y] }) => svg("circle", { class: "fence", cx: x, cy: y, r: radius })),
          kept, svg("path", { class: dots.length > 250 ? "dots small" : "dots", d: path(dots) })];
      }

      // MARK: View

      toScreen([x, y]) {
        return [(x - this.x) * this.scale + this.width / 2, (y - this.y) * this.scale + this.height / 2];
      }
      toPlane(x, y) {
        return [(x - this.width / 2) / this.scale + this.x, (y - this.height / 2) / this.scale + this.y];
      }

      /** All, or one trip. */
      show(trip) {
        for (const other of this.trips) other.path?.classList.toggle("chosen", other === trip);
        this.fit(trip ? trip.line : null);
        this.change();
      }

      fit(line) {
        const stops = this.stops.map(stop => [0, ...stop.at]);
        let points = line ?? [...this.recorded.runs.flat(), ...this.kept.flat(), ...stops];
        if (!points.length) points = [[0, 0, 0]];
        const [west, east] = extent(points, 1), [north, south] = extent(points, 2);
        const least = line ? 100 : Math.max(GroundMap.leastWidth, 4 * this.first.map.stationary_radius_m);
        this.x = (west + east) / 2;
        this.y = (north + south) / 2;
        const [across, along] = [(east - west) / .84, (south - north) / .8];
        this.scale = Math.min(this.width / Math.max(across, least), this.height / Math.max(along, 1));
        if (!line) Object.assign(this, { box: [west, east, north, south], whole: this.scale });
        this.isWhole = !line;
      }

      pan(dx, dy) {
        const [west, east, north, south] = this.box;
        this.x = Math.min(east, Math.max(west, this.x - dx / this.scale));
        this.y = Math.min(south, Math.max(north, this.y - dy / this.scale));
        this.isWhole = false;
        this.change();
      }

      /** - Returns: whether there was anything to zoom. */
      zoom(factor, x, y) {
        const scale = Math.min(Math.max(20, this.whole), Math.max(this.whole * .7, this.scale * factor));
        if (scale === this.scale) return false;
        const [px, py] = this.toPlane(x, y);
        this.scale = scale;
        const [sx, sy] = this.toScreen([px, py]);
        this.pan(x - sx, y - sy);
        return true;
      }

      draw(width = this.pane.clientWidth) {
        const height = width === paperWidth ? 265 : this.pane.clientHeight;
        if (!width || !height) return;
        const [before, after] = [this.width, width];
        Object.assign(this, { width, height });
        if (this.isWhole !== false) this.fit(null); else this.scale *= after / before;
        this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
        this.picture.setAttribute("height", height);
        const [left, top] = this.toScreen([0, 0]);
        this.world.setAttribute("transform", `matrix(${this.scale} 0 0 ${this.scale} ${left} ${top})`);
        this.marks.replaceChildren(...this.drawnMarks().flat(9).filter(mark => mark));
        this.mark(this.instant.ms);
      }

      isShown([x, y]) { return x >= 0 && y >= 0 && x <= this.width && y <= this.height; }

      // MARK: Marks, which keep their size

      drawnMarks() {
        const { width, height } = this;
        // Scale bar, north, buttons.
        this.taken = [[0, height - 34, width / 3.5, height], [0, 0, 40, 40], [width - 50, 0, width, 125]];
        const north = svg("g", { class: "north", transform: `translate(20,12)` },
          svg("path", { d: "M0 0l5 11l-5-3l-5 3z" }), svg("text", { y: 24 }, "N"));
        if (!this.isAlone) return [this.scaleBar(), north];
        const worst = this.worstMark(), numbers = this.numbers();
        return [this.jumps(), this.stopMarks(), numbers, worst, this.names(), this.scaleBar(), north];
      }

      /** A free place for a label of this size, at or around a point; null where all is full. */
      place([x, y], width, height, isRight) {
        const ways = [[.8, -.8], [1, 0], [0, -1], [.8, .8], [-.8, -.8], [0, 1], [-1, 0], [-.8, .8]];
        for (let ring = 0; ring < 6; ring += 1) for (const [dx, dy] of ways) {
          const cx = x + (isRight ? dx : -dx) * (width / 2 + 9 + ring * 18), cy = y + dy * (height / 2 + 9 + ring * 18);
          const box = [cx - width / 2 - 1, cy - height / 2 - 1, cx + width / 2 + 1, cy + height / 2 + 1];
          if (!this.isShown(box) || !this.isShown(box.slice(2))) continue;
          const meets = other => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3];
          if (this.taken.some(meets)) continue;
          this.taken.push(box);
          return [cx, cy];
        }
        return null;
      }

      numbers() {
        const ends = this.trips.flatMap(trip => trip.line.length
          ? [[trip, "start", trip.line[0]], [trip, "end", trip.line.at(-1)]] : [])
          .map(([trip, end, point]) => [trip, end, this.toScreen(point.slice(1))])
          .filter(([, , at]) => this.isShown(at));
        if (ends.length > 2 * GroundMap.mostNumbers) return [];
        const drawn = ends.map(([trip, end, at]) => {
          const place = this.place(at, 18, 18, end === "start");
          if (!place) return [];
          const shape = end === "start" ? svg("circle", { r: 9 })
            : svg("rect", { x: -8.5, y: -8.5, width: 17, height: 17, rx: 2 });
          return [svg("path", { class: "leader", d: `M${at}L${place}` }),
            svg("g", { class: end, transform: `translate(${place})` }, shape, svg("text", { y: 4 }, String(trip.id)),
              svg("title", {}, `${end} of trip ${trip.id}`))];
        });
        return [drawn.map(([leader]) => leader), drawn.map(([, badge]) => badge)];
      }

      worstMark() {
        const worst = this.first.map.worst;
        if (!worst) return null;
        const at = this.toScreen(this.project(worst[1], worst[2]));
        if (!this.isShown(at)) return null;
        const text = fixed(this.first.result.totals.seen_error_m_max, 1) + " m";
        const [x, y] = this.place(at, 14 + 7 * text.length, 18, at[0] < this.width / 2) ?? [at[0], at[1] - 18];
        return [svg("path", { class: "worst", d: `M${at}m0-7l7 7l-7 7l-7-7z` },
          svg("title", {}, "worst error, " + this.first.clock.dateTime(this.first.start + worst[0] * 1000))),
          svg("text", { class: "halo", x, y: y + 5 }, text)];
      }

      jumps() {
        return this.first.map.jumps.map(([, lat, lon]) => this.toScreen(this.project(lat, lon)))
          .filter(at => this.isShown(at)).map(([x, y]) => svg("use", { href: "#cross", class: "jump", x, y }));
      }

      stopMarks() {
        return this.stops.map(stop => {
          const [cx, cy] = this.toScreen(stop.at);
          const text = `Parked ${this.first.clock.fromTo(stop)}, ${duration(length(stop))}`;
          return svg("circle", { class: "stop", cx, cy, r: 5 }, svg("title", {}, text));
        });
      }

      names() {
        const named = this.geofences.map(fence => {
          const places = fence.points.map(point => this.toScreen(point.slice(1)));
          if (!fence.radius) return [fence, places.find(at => this.isShown(at))];
          const [x, y] = places[0];
          const nx = Math.min(this.width, Math.max(0, x)), ny = Math.min(this.height, Math.max(0, y));
          return [fence, Math.hypot(x - nx, y - ny) < fence.radius * this.scale ? [nx, ny] : null];
        }).filter(([, at]) => at);
        return named.slice(0, GroundMap.mostNames).map(([fence, at]) => {
          const name = fence.name.length > 20 ? fence.name.slice(0, 19) + "…" : fence.name;
          const place = this.place(at, 8 + 7 * name.length, 16, true);
          return place && svg("text", { class: "geofence halo", x: place[0], y: place[1] + 4 }, name);
        });
      }

      /** The longest of 1, 2, 5, 10, 20 … metres that takes at most a quarter of the width. */
      scaleBar() {
        const most = this.width / 4 / this.scale, power = 10 ** Math.floor(Math.log10(most));
        const metres = [5, 2, 1].map(factor => factor * power).find(it => it <= most) ?? power;
        return svg("g", { class: "scale", transform: `translate(12,${this.height - 12})` },
          svg("path", { d: `M0-5V0H${metres * this.scale}V-5` }),
          svg("text", { x: 6, y: -6 }, metres < 1000 ? metres + " m" : metres / 1000 + " km"));
      }

      // MARK: The instant

      find(x, y, reach) {
        const found = this.line.nearest(...this.toPlane(x, y), reach / this.scale);
        return found ? found.ms : null;
      }

      mark(ms) {
        const found = ms === null ? null : this.line.at(ms);
        const stop = found || ms === null ? null : this.stops.find(stop => stop.start_ms <= ms && ms <= stop.end_ms);
        if (!found && !stop || !this.width) return this.here.replaceChildren();
        const [x, y] = this.toScreen(found ? [found.x, found.y] : stop.at);
        const text = this.first.clock.time(ms) + (found?.mps == null ? "" : ", " + speed(found.mps));
        const half = 4 + 3.6 * text.length, tx = Math.min(this.width - half, Math.max(half, x));
        this.here.replaceChildren(svg("circle", { cx: x, cy: y, r: 6 }),
          svg("text", { class: "halo", x: tx, y: y < 34 ? y + 24 : y - 13 }, text));
      }

      // MARK: Words

      description() {
        const { result, map } = this.first;
        if (!this.isAlone) return this.results.map(({ result, map }) =>
          `${result.settings_name}: ${counted(map.kept.length, "kept fix", "kept fixes")}`).join(", ") + ".";
        return `${counted(result.trips.length, "trip")} with ${counted(map.kept.length, "kept fix", "kept fixes")}, `
          + `${counted(map.stops.length, "parked place")}. North is up.`;
      }

      legend() {
        const line = (style, width = 22) => svg("path", { class: style, d: `M1 9H${width - 1}` });
        const circle = (style, r = 8) => svg("circle", { class: style, cx: 11, cy: 9, r });
        const items = [[22, line("recorded"), "recorded"]];
        if (!this.isAlone) return items.concat(
          this.results.map((entry, index) => [34, line("kept k" + index, 34), entry.result.settings_name]));
        const { map } = this.first;
        items.push([22, [line("kept"), svg("path", { class: "dots", d: "M6 9h0M16 9h0" })], "kept"]);
        if (this.trips.length) items.push([22, svg("g", { class: "start" }, circle()), "trip starts"],
          [22, svg("g", { class: "end" }, svg("rect", { x: 3.5, y: 1.5, width: 15, height: 15, rx: 2 })), "trip ends"]);
        if (this.stops.length) items.push([22, [circle("fence"), circle("stop", 4.5)],
          `parked (circle: stationary geofence, ${fixed(map.stationary_radius_m, 0)} m)`]);
        if (this.geofences.length) items.push([22, circle("geofence"), `geofence (${map.geofences_near} here`
          + (map.geofences_near > this.geofences.length ? `, of which ${this.geofences.length} are drawn)` : ")")]);
        if (map.worst) items.push([22, svg("path", { class: "worst", d: "M11 2l7 7l-7 7l-7-7z" }), "worst error"]);
        if (map.jumps.length) items.push([22, svg("use", { href: "#cross", class: "jump", x: 11, y: 9 }),
          `position jump (${map.jump_count}): kept with a flag, not in the line`]);
        return items;
      }

      caption() {
        if (!this.isAlone) return "The thin line is where the vehicle was; each other one is what the server would "
          + "draw with these settings. North is up.";
        return [
          "The thin line is where the vehicle was; the strong one is what the server would draw from the kept fixes.",
          this.first.map.worst ? " The worst error is the largest distance between a recorded fix of a trip and the "
            + "kept line at the same moment." : "",
          this.trips.length > GroundMap.mostNumbers
            ? ` Trips have their numbers where the map shows at most ${GroundMap.mostNumbers} of them: zoom in.` : ""];
      }
    }

    """#
}
