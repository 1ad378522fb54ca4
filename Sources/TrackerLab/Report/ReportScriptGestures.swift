extension ReportScript {
  /// What map and timeline share: the instant that is pointed at, gestures, drawing again.
  static let gestures = #"""
    /** The instant that map and timeline of one result show: pointed at, or pinned by a click or a tap. */
    class Instant {
      ms = null; isPinned = false; watchers = [];
      point(ms) { if (!this.isPinned) this.set(ms); }
      pin(ms) { this.isPinned = ms !== null; this.set(ms); }
      set(ms) { this.ms = ms; for (const watch of this.watchers) watch(ms); }
    }

    /** Draws when it is shown, when its size changes, and for paper. */
    const drawings = [], paperWidth = 680;
    addEventListener("beforeprint", () => drawings.forEach(draw => draw(paperWidth)));
    addEventListener("afterprint", () => drawings.forEach(draw => draw()));

    // A wheel that scrolls the page goes on doing so over a picture, until the mouse moves there.
    let isScrolling = false;
    addEventListener("scroll", () => isScrolling = true, { passive: true });

    /**
     * Mouse, fingers, keys and buttons of a picture. `does` are its answers: `pan`, `zoom`, `whole`, `hover`, `tap`,
     * `drag` and `key`.
     */
    function gestures(pane, does) {
      const fingers = new Map();
      let way = 0;
      const place = event => {
        const box = pane.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
      };
      pane.addEventListener("pointerdown", event => {
        if (event.button) return;
        fingers.set(event.pointerId, place(event));
        pane.setPointerCapture(event.pointerId);
        way = fingers.size > 1 ? Infinity : 0;
      });
      pane.addEventListener("pointermove", event => {
        if (event.movementX || event.movementY) isScrolling = false;
        const [x, y] = place(event), last = fingers.get(event.pointerId);
        if (!last) return does.hover(x, y);
        const [dx, dy] = [x - last[0], y - last[1]];
        const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
        fingers.set(event.pointerId, [x, y]);
        way += Math.hypot(dx, dy);
        if (other) {
          const before = Math.hypot(last[0] - other[0], last[1] - other[1]);
          const now = Math.hypot(x - other[0], y - other[1]);
          does.pan(dx / 2, dy / 2);
          does.zoom(now / Math.max(1, before), (x + other[0]) / 2, (y + other[1]) / 2);
        } else if (way > 4) does.drag(dx, dy, x);
      });
      const up = event => {
        const at = fingers.get(event.pointerId);
        fingers.delete(event.pointerId);
        if (at && event.type === "pointerup" && way <= 4) does.tap(...at);
      };
      pane.addEventListener("pointerup", up);
      pane.addEventListener("pointercancel", up);
      pane.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") does.hover(null); });
      pane.addEventListener("wheel", event => {
        if (isScrolling && !event.ctrlKey) return;
        const step = event.deltaY * (event.deltaMode === 1 ? 20 : 1);
        if (does.zoom(Math.exp(-step / 300), ...place(event))) event.preventDefault();
      }, { passive: false });
      const nearer = factor => does.zoom(factor, pane.clientWidth / 2, pane.clientHeight / 2);
      const acts = { "+": () => nearer(1.6), "=": () => nearer(1.6), "-": () => nearer(1 / 1.6), 0: does.whole };
      pane.addEventListener("keydown", event => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (event.key === "Escape") does.tap(null);
        else if (acts[event.key]) acts[event.key]();
        else if (!arrow || does.key(...arrow) === false) return;
        event.preventDefault();
      });
      const button = (sign, title, act) => {
        const it = el("button", { type: "button", title, "aria-label": title }, sign);
        it.addEventListener("click", act);
        return it;
      };
      return el("div", { class: "buttons" }, button("+", "Zoom in", acts["+"]), button("−", "Zoom out", acts["-"]),
        button("⤢", "Show all", does.whole));
    }

    /** `draw` once for each frame in which something changed, and with the picture's size. */
    function shown(pane, draw) {
      let isDue = false;
      drawings.push(draw);
      new ResizeObserver(() => change()).observe(pane);
      const change = () => {
        if (!isDue) requestAnimationFrame(() => { isDue = false; draw(); });
        isDue = true;
      };
      return change;
    }

    """#
}
