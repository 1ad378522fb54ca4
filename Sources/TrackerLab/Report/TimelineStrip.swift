/// One row of the timeline: a line of words, and a strip over the whole span.
struct TimelineStrip {
  let name: String
  /// The same in numbers.
  let summary: String
  let id: String
  let scale: TimeScale
  var height = 22
  private var content: HTML = ""
  private var legend: HTML = ""

  /// Spans of more than these are not named one by one.
  private static let mostTooltips = 150

  init(_ name: String, _ summary: String, id: String, scale: TimeScale, height: Int = 22) {
    self.name = name
    self.summary = summary
    self.id = id
    self.scale = scale
    self.height = height
  }

  /// - Parameter share: of the strip's height.
  mutating func add(bars spans: [Span], style: HTML, share: Double = 1, name: String) {
    guard !spans.isEmpty else { return }
    let tall = Int(Double(height) * share)
    let merged = scale.merged(spans)
    content += "<g class=\"\(style)\">"
    for span in merged {
      let width = ReportText.percent(scale.share(span.end_ms) - scale.share(span.start_ms))
      content += """
        <rect x="\(scale.left(span.start_ms))" y="\(height - tall)" width="\(width)" height="\(tall)">
        """
      if merged.count <= TimelineStrip.mostTooltips { content += "<title>\(tooltip(name, span))</title>" }
      content += "</rect>"
    }
    content += "</g>\n"
    let top = 14 - Int(12 * share)
    addLegend(
      "<g class=\"\(style)\"><rect x=\"1\" y=\"\(top)\" width=\"12\" height=\"\(14 - top)\"/></g>", name)
  }

  /// Spans, of which many may be too short to be seen apart: then the height is the share of the time that they cover.
  mutating func add(shares spans: [Span], style: HTML, name: String) {
    let parts = scale.shares(spans)
    guard parts.contains(where: { $0.share < 1 }) || parts.count < spans.count else {
      return add(bars: spans, style: style, name: name)
    }
    let whole = parts.filter { $0.share == 1 }.map(\.span)
    add(bars: whole, style: style, name: name)
    content += "<g class=\"\(style) part\">"
    for (span, share) in parts where share < 1 {
      let tall = max(TimelineStrip.least, Int((Double(height) * share).rounded()))
      let width = ReportText.percent(scale.share(span.end_ms) - scale.share(span.start_ms))
      content += """
        <rect x="\(scale.left(span.start_ms))" y="\(height - tall)" width="\(width)" height="\(tall)"/>
        """
    }
    content += "</g>\n"
    addLegend(
      "<g class=\"\(style) part\"><rect x=\"1\" y=\"9\" width=\"12\" height=\"5\"/></g>",
      "\(name) for a part of the time: the height")
  }

  /// Pixels: so much of a lone short span is to be seen.
  private static let least = 2

  private func tooltip(_ name: String, _ span: Span) -> String {
    "\(name): \(scale.clock.fromTo(span)), \(ReportText.duration(span.length_s))"
  }

  /// What stretches with the strip, drawn 10000 wide and 100 high.
  mutating func add(stretched path: HTML, style: HTML) {
    content += """
      <svg viewBox="0 0 10000 100" preserveAspectRatio="none" height="\(height)"><path class="\(style)" \
      d="\(path)"/></svg>

      """
  }

  /// A cross of fixed size.
  mutating func add(crossAt time_ms: Int64, style: HTML, title: String) {
    content += """
      <use href="#cross" class="\(style)" x="\(scale.left(time_ms))" y="\(height / 2)"><title>\(title)</title></use>
      """
  }

  mutating func addLegend(_ picture: HTML, _ text: String) {
    legend += "<li><svg width=\"14\" height=\"16\" aria-hidden=\"true\">\(picture)</svg>\(text)</li>"
  }

  var html: HTML {
    """
    <div class="strip"><div class="head"><p><b>\(name)</b> <span>\(summary)</span></p>\
    <ul class="legend">\(legend)</ul></div>
    <svg role="img" aria-labelledby="\(id) \(id)-d" height="\(height)"><title id="\(id)">\(name)</title>\
    <desc id="\(id)-d">\(summary)</desc>\(grid)\(content)</svg></div>

    """
  }

  private var grid: HTML {
    let lines = scale.ticks.map { tick -> HTML in
      let x = scale.left(tick.time_ms)
      return "<line x1=\"\(x)\" x2=\"\(x)\" y2=\"100%\"/>"
    }
    return "<g class=\"grid\">\(HTML(lines))</g>"
  }
}
