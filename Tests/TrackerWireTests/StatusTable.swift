import TrackerBase

@testable import TrackerWire

/// The table of docs/status.md: each figure of the document, its metric and its meaning.
struct StatusTable {
  private var rows = "| Key | Metric | Meaning |\n|---|---|---|\n"
  /// Groups whose figures stand there, by the names of their metrics.
  private var shown: Set<[String]> = []

  static func text() -> String {
    var table = StatusTable()
    table.add(TrackerStatus().nodes, after: "", in: [], [])
    return table.rows
  }

  private mutating func add(
    _ nodes: [StatusNode], after prefix: String, in path: [String], _ labels: [String]
  ) {
    for node in nodes {
      switch node {
      case .figure(let figure):
        let metric = labels.contains("") ? "" : StatusTable.metric(figure, in: path, labels)
        addRow(prefix + figure.key, metric, figure.doc + StatusTable.names(of: figure))
      case .group(let group): add(group, prefix + group.key, in: path, labels)
      }
    }
  }

  private mutating func add(
    _ group: any AnyFigureGroup, _ key: String, in path: [String], _ labels: [String]
  ) {
    addRow(key, "", group.doc)
    switch group.form {
    case .object:
      guard shown.insert(path + [group.key]).inserted else { return }
      add(group.blank.nodes, after: key + ".", in: path + [group.key], labels)
    case .list(let label): add(group.blank.nodes, after: key + "[].", in: path, labels + [label.description])
    case .byName(let label):
      add(group.blank.nodes, after: key + ".*.", in: path + [group.key], labels + [label.description])
    }
  }

  private mutating func addRow(_ key: String, _ metric: String, _ meaning: String) {
    let meaning = meaning.split(separator: " ").map { StatusTable.linked($0) }.joined(separator: " ")
    rows += "| `\(key)` | \(metric.isEmpty ? "" : "`\(metric)` ")| \(meaning) |\n"
  }

  /// Empty for none.
  private static func metric(
    _ figure: any AnyFigure, in path: [String], _ labels: [String]
  ) -> String {
    let own: [String]
    switch figure.type {
    case .integer, .number, .flag, .only: own = []
    case .table: own = [figure.label.description]
    case .choice, .name: own = ["state"]
    case .text, .texts: return ""
    }
    let labels = (labels + own).joined(separator: ", ")
    return MetricName(figure, in: path).sample + (labels.isEmpty ? "" : "{\(labels)}")
  }

  private static func names(of figure: any AnyFigure) -> String {
    switch figure.type {
    case .choice(let names), .table(let names, _): " " + names.map { "`\($0)`" }.joined(separator: ", ")
    case .integer, .number, .flag, .only, .text, .texts, .name: ""
    }
  }

  /// `(docs/sync.md#mqtt),` with a link in it.
  private static func linked(_ word: Substring) -> String {
    let opening = word.prefix { $0 == "(" }
    var target = word.dropFirst(opening.count)
    guard target.hasPrefix(folder) else { return String(word) }
    target = target.dropFirst(folder.count)
    var closing = ""
    while let last = target.last, ").,;:".contains(last) {
      closing = String(last) + closing
      target.removeLast()
    }
    return "\(opening)[\(target.prefix { $0 != "#" })](\(target))\(closing)"
  }

  private static let folder = "docs/"
}
