import TrackerBase

/// The status document as text for Prometheus and what speaks its language.
///
/// Made of counters and gauges alone: node_exporter reads no state sets and no info. Of names, the one in force is 1 and
/// the others are 0; a flag is 1 or 0; text is left out, but for that of the document itself, in `godwit_info`.
public struct StatusMetrics {
  public enum Dialect: Sendable {
    /// OpenMetrics 1.0: a counter's family has a name without `_total`, and a unit.
    case openMetrics
    /// Prometheus' older text (0.0.4), which node_exporter and `promtool check metrics` read: a family has the name of
    /// its samples. No text is both for counters.
    case prometheus
  }

  private struct Family {
    let name: MetricName
    let doc: String
    var samples: [String] = []
  }

  private typealias Label = (name: String, value: String)

  /// In the order of the document; what several servers have stands together.
  private var families: [Family] = []
  private var info: [Label] = []

  /// - Parameter json: a status document.
  /// - Returns: nil for anything else.
  public static func text(_ json: String, as dialect: Dialect = .openMetrics) -> String? {
    guard let status = JSONReader.parse(Array(json.utf8)),
      status["schema"]?.string == TrackerStatus().schema
    else { return nil }
    var metrics = StatusMetrics()
    metrics.add(TrackerStatus().nodes, of: status, in: [], [])
    return metrics.text(as: dialect)
  }

  private mutating func add(
    _ nodes: [StatusNode], of object: JSONValue, in path: [String], _ labels: [Label]
  ) {
    for node in nodes {
      switch node {
      case .figure(let figure):
        if let value = object[figure.key] { add(figure, value, in: path, labels) }
      case .group(let group):
        if let value = object[group.key] { add(group, value, in: path, labels) }
      }
    }
  }

  private mutating func add(
    _ group: any AnyFigureGroup, _ value: JSONValue, in path: [String], _ labels: [Label]
  ) {
    let nodes = group.blank.nodes
    switch group.form {
    case .object: add(nodes, of: value, in: path + [group.key], labels)
    // Those without a label are no metrics.
    case .list(let label) where label.description.isEmpty: break
    case .list(let label):
      for element in value.array ?? [] {
        add(nodes, of: element, in: path, labels + [(label.description, element["name"]?.string ?? "")])
      }
    case .byName(let label):
      guard case .object(let members) = value else { return }
      for member in members {
        add(nodes, of: member.value, in: path + [group.key], labels + [(label.description, member.key)])
      }
    }
  }

  private mutating func add(
    _ figure: any AnyFigure, _ value: JSONValue, in path: [String], _ labels: [Label]
  ) {
    let name = MetricName(figure, in: path)
    func one(_ value: JSONValue?, _ more: [Label] = []) {
      guard let number = value.flatMap({ StatusMetrics.number($0, figure.kind) }) else { return }
      append(StatusMetrics.sample(name, labels + more, number), to: name, figure.doc)
    }
    switch figure.type {
    case .integer, .number, .flag, .only: one(value)
    case .table(let names, _):
      for entry in names { one(value[entry], [(figure.label.description, entry)]) }
    case .choice(let names): for state in names { one(.bool(state == value.string), [("state", state)]) }
    case .name: one(.bool(true), [("state", value.string ?? "")])
    case .text: if path.isEmpty, labels.isEmpty { info.append((figure.key, value.string ?? "")) }
    case .texts: break
    }
  }

  private mutating func append(_ sample: String, to name: MetricName, _ doc: String) {
    if let index = families.firstIndex(where: { $0.name == name }) {
      families[index].samples.append(sample)
    } else {
      families.append(Family(name: name, doc: doc, samples: [sample]))
    }
  }

  private static func number(_ value: JSONValue, _ kind: FigureKind) -> String? {
    switch (kind, value) {
    case (.time, .string(let time)): ISO8601.unix_ms(time).map { "\(Double($0) / 1000)" }
    case (.percent, _): value.number.map { "\($0 / 100)" }
    case (_, .bool(let flag)): flag ? "1" : "0"
    case (_, .integer(let number)): "\(number)"
    case (_, .number(let number)): "\(number)"
    default: nil
    }
  }

  private static func sample(_ name: MetricName, _ labels: [Label], _ number: String) -> String {
    "\(name.sample)\(text(of: labels)) \(number)\n"
  }

  private static func text(of labels: [Label]) -> String {
    labels.isEmpty ? "" : "{\(labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ","))}"
  }

  private static func escaped(_ text: String) -> String {
    // By scalars: a quotation mark with an accent, and CR LF, are one Character each.
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\\", "\"": result += "\\\(scalar)"
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  private func text(as dialect: Dialect) -> String {
    let about = "# TYPE godwit_info gauge\n# HELP godwit_info Who reports; always 1.\n"
    let start = about + "godwit_info\(StatusMetrics.text(of: info)) 1\n"
    let all = families.reduce(start) { text, family in
      let name = family.name
      let kind = name.isCounter ? "counter" : "gauge"
      let head =
        switch dialect {
        case .openMetrics:
          "# TYPE \(name.family) \(kind)\n"
            + (name.unit.isEmpty ? "" : "# UNIT \(name.family) \(name.unit)\n")
            + "# HELP \(name.family) \(family.doc)\n"
        case .prometheus: "# TYPE \(name.sample) \(kind)\n# HELP \(name.sample) \(family.doc)\n"
        }
      return text + head + family.samples.joined()
    }
    return dialect == .openMetrics ? all + "# EOF\n" : all
  }
}
