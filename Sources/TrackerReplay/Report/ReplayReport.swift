/// Results as one HTML page that needs nothing else: no script, no other file, no network.
public enum ReplayReport {
  /// Results of one track with several settings are compared, too.
  public static func html(_ results: [ReplayResult]) -> String {
    let overview = results.count > 1 ? OverviewTable(results: results).html : ""
    let sections = byTrack(results).map {
      section($0.map { (id: "r\($0 + 1)", result: results[$0]) })
    }
    return page(title: title(results), zones: zones(results), overview: overview, HTML(sections)).text
  }

  /// Indices of the results of each track.
  static func byTrack(_ results: [ReplayResult]) -> [[Int]] {
    var groups: [[Int]] = []
    for (index, result) in results.enumerated() {
      let group = groups.firstIndex { isSameTrack(results[$0[0]], result) }
      if let group { groups[group].append(index) } else { groups.append([index]) }
    }
    return groups
  }

  /// Files in two folders may have one name.
  private static func isSameTrack(_ one: ReplayResult, _ other: ReplayResult) -> Bool {
    one.track.name == other.track.name && one.span == other.span
  }

  static func title(_ results: [ReplayResult]) -> String {
    guard let first = results.first?.track.name else { return "Godwit simulation" }
    let others = Set(results.map(\.track.name)).count - 1
    return "Godwit simulation: \(first)" + (others > 0 ? " and \(others) more" : "")
  }

  /// Whose wall clock is shown.
  static func zones(_ results: [ReplayResult]) -> String {
    let names = Set(results.map(\.zoneName)).sorted()
    guard let name = names.first else { return "" }
    if names.count > 1 {
      return "Times are those of each settings file's zone: \(names.joined(separator: ", "))."
    }
    return ["UTC", "Etc/UTC"].contains(name)
      ? "All times are UTC." : "All times are those of the vehicle's zone, \(name)."
  }

  static func page(title: String, zones: String, overview: HTML, _ body: HTML) -> HTML {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    <style>
    \(ReportStyle.css)
    </style>
    </head>
    <body>
    \(ReportStyle.shapes)
    <header>
    <h1>Godwit simulation</h1>
    <p class="note">What the agent would have done on recorded drives with the settings shown. \(zones) \
    Charge, time to the first fix, and the network follow from the assumptions of the simulation.</p>
    \(overview)</header>
    <main>
    \(body.isEmpty ? "<p>There are no results.</p>" : body)
    </main>
    </body>
    </html>

    """
  }

  private static func section(_ results: [(id: String, result: ReplayResult)]) -> HTML {
    let articles = results.map { article($0.result, id: $0.id) }
    let comparison =
      results.count > 1 ? comparison(results.map(\.result), id: "c\(results[0].id)") : ""
    let (track, span) = (results[0].result.track, results[0].result.span)
    return """
      <section>
      <h2>\(track.name)</h2>
      <p class="note">\(results[0].result.clock.fromTo(span)), \(ReportText.duration(span.length_s))</p>
      \(assumptions(results[0].result))\(comparison)\(HTML(articles))</section>

      """
  }

  /// The settings side by side: figures, drives, and all lines on one map.
  private static func comparison(_ results: [ReplayResult], id: String) -> HTML {
    "\(ComparisonTable(results: results).html)\(DriveTable(results: results).html)\(OverlayMap(results, id: id).html)"
  }

  private static func article(_ result: ReplayResult, id: String) -> HTML {
    let tables = ResultTables(result: result, id: id)
    return """
      <article id="\(id)">
      <h3>Settings: \(result.settingsName) <code>\(result.settingsHash)</code></h3>
      \(changes(result))\(Headline(result: result).html)
      <h4>Map</h4>
      \(MapPicture(result, id: id).html)
      <h4>Timeline</h4>
      \(TimelinePicture(result, id: id).html)
      <h4>Details</h4>
      \(tables.trips)\(tables.departures)\(tables.learnedWeek)\(tables.others)</article>

      """
  }

  private static func assumptions(_ result: ReplayResult) -> HTML {
    if result.changedAssumptions.isEmpty { return "" }
    let items = result.changedAssumptions.map { "<li>\(HTML.code($0))</li>" as HTML }
    return "<p class=\"note\">Assumed:</p>\n<ul class=\"changes\">\(HTML(items))</ul>\n"
  }

  private static func changes(_ result: ReplayResult) -> HTML {
    if result.changedSettings.isEmpty { return "<p class=\"note\">All settings are at their defaults.</p>\n" }
    let items = result.changedSettings.map { "<li>\(HTML.code($0))</li>" as HTML }
    return "<ul class=\"changes\" aria-label=\"Settings that differ from the defaults\">\(HTML(items))</ul>\n"
  }
}
