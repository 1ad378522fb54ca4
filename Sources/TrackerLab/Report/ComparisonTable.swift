import TrackerCore

/// One track with several settings: a column for each, and how they differ from the first.
struct ComparisonTable {
  let results: [ReplayResult]

  var html: HTML {
    guard let base = results.first else { return "" }
    let others = results.dropFirst()
    var columns = results.map { HTMLTable.Column(title: $0.settingsName) }
    for other in others {
      let title = others.count == 1 ? "Change" : "Change to \(other.settingsName)"
      columns += [.init(title: title), .init(title: "%")]
    }
    var table = HTMLTable("Settings side by side", first: "", columns)
    table.rows = settingRows(blanks: 2 * others.count) + results.figureRows.map(row)
    return """
      <div class="comparison">\(table.html)<p class="note">Changes are from \(base.settingsName). Above the \
      figures: the settings that differ.</p></div>

      """
  }

  private func row(_ figures: [ReplayFigure]) -> [HTML] {
    ["\(figures[0].title)"] + figures.map { "\($0.text)" }
      + figures.dropFirst().flatMap { ComparisonTable.difference(from: figures[0], to: $0) }
  }

  /// Absolute and in per cent.
  private static func difference(from before: ReplayFigure, to after: ReplayFigure) -> [HTML] {
    guard let old = before.value, let new = after.value else { return ["–", "–"] }
    if before.text == after.text { return ["=", ""] }
    let absolute = signed(new - old, decimals: before.decimals)
    guard old != 0 else { return ["\(absolute)", "–"] }
    return ["\(absolute)", "\(signed((new - old) / old.magnitude * 100, decimals: 0))"]
  }

  private static func signed(_ value: Double, decimals: Int) -> String {
    let text = fixed(value.magnitude, decimals: decimals)
    return (value < 0 ? "−" : "+") + text
  }

  // MARK: Settings

  private func settingRows(blanks: Int) -> [[HTML]] {
    let values = results.map(ComparisonTable.values)
    let keys = Set(values.flatMap(\.keys)).sorted()
    let differing = keys.filter { key in Set(values.map { $0[key] ?? "" }).count > 1 }
    let all = SettingsListing.lines(of: Settings()).map { ($0.key, $0.value) }
    let defaults = Dictionary(all, uniquingKeysWith: { first, _ in first })
    return differing.map { key in
      [HTML.code(key)]
        + values.map { value -> HTML in
          if let own = value[key] { return HTML.code(own) }
          return "\(HTML.code(defaults[key] ?? "?")) <small>default</small>"
        } + Array(repeating: "", count: blanks)
    }
  }

  private static func values(of result: ReplayResult) -> [String: String] {
    var values: [String: String] = [:]
    for line in result.changedSettings {
      let (key, value) = split(line)
      values[key] = value
    }
    return values
  }

  /// `group.key = value`
  private static func split(_ line: String) -> (key: String, value: String) {
    guard let sign = line.firstIndex(of: "=") else { return (line, "") }
    let key = line[..<sign].reversed().drop { $0 == " " }.reversed()
    return (String(key), String(line[line.index(after: sign)...].drop { $0 == " " }))
  }
}
