/// Results as one HTML page that needs nothing else: no script, no other file, no network.
public enum ReplayReport {
  /// Results of one track that stand together in `results` are compared, too.
  public static func html(_ results: [ReplayResult]) -> String {
    var body: HTML = ""
    var index = 0
    while index < results.count {
      let name = results[index].track.name
      let end = results[index...].firstIndex { $0.track.name != name } ?? results.count
      body += section(name, Array(results[index..<end]), firstNumber: index + 1)
      index = end
    }
    return page(
      title: title(results), overview: results.count > 1 ? OverviewTable(results: results).html : "", body
    )
    .text
  }

  private static func title(_ results: [ReplayResult]) -> String {
    guard let first = results.first?.track.name else { return "Godwit simulation" }
    let others = Set(results.map(\.track.name)).count - 1
    return "Godwit simulation: \(first)" + (others > 0 ? " and \(others) more" : "")
  }

  private static func page(title: String, overview: HTML, _ body: HTML) -> HTML {
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
    <p class="note">What the agent would have done on recorded drives with the settings shown. All times are UTC. \
    Charge, time to the first fix, and the network follow from the assumptions of the simulation.</p>
    \(overview)</header>
    <main>
    \(body.isEmpty ? "<p>There are no results.</p>" : body)
    </main>
    </body>
    </html>

    """
  }

  private static func section(_ name: String, _ results: [ReplayResult], firstNumber: Int) -> HTML {
    let articles = results.enumerated().map { article($1, id: "r\(firstNumber + $0)") }
    let comparison = results.count > 1 ? ComparisonTable(results: results).html : ""
    let span = results[0].span
    return """
      <section>
      <h2>\(name)</h2>
      <p class="note">\(ReportText.fromTo(span)) UTC, \(ReportText.duration(span.length_s))</p>
      \(comparison)\(HTML(articles))</section>

      """
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
      \(tables.trips)\(tables.others)</article>

      """
  }

  private static func changes(_ result: ReplayResult) -> HTML {
    if result.changedSettings.isEmpty { return "<p class=\"note\">All settings are at their defaults.</p>\n" }
    let items = result.changedSettings.map { "<li><code>\($0)</code></li>" as HTML }
    return "<ul class=\"changes\" aria-label=\"Settings that differ from the defaults\">\(HTML(items))</ul>\n"
  }
}
