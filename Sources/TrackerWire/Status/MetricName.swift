import TrackerBase

/// The name of a figure's metric, by the rules of OpenMetrics: base units, and the unit last.
struct MetricName: Equatable {
  /// Of the metric family: without `_total`.
  let family: String
  /// Empty for none.
  let unit: String
  let isCounter: Bool

  /// - Parameter path: the keys of the groups around it.
  init(_ figure: any AnyFigure, in path: [String]) {
    var words = (path + [figure.metric?.description ?? figure.key]).flatMap { $0.split(separator: "_") }
    isCounter = figure.kind == .counter
    switch figure.kind {
    case .time: (unit, words) = ("seconds", words + ["timestamp"])
    case .percent: unit = "ratio"
    case .counter, .gauge, .signedGauge:
      let index = words.lastIndex { MetricName.units[String($0)] != nil }
      unit = index.flatMap { MetricName.units[String(words.remove(at: $0))] } ?? ""
    case .word: unit = ""
    }
    family = (["godwit"] + words.map { String($0) } + (unit.isEmpty ? [] : [unit])).joined(separator: "_")
  }

  /// Of a sample.
  var sample: String { isCounter ? family + "_total" : family }

  /// As keys have them.
  private static let units = [
    "s": "seconds", "m": "meters", "bytes": "bytes", "volts": "volts", "c": "celsius",
  ]
}
