/// Metrics as Prometheus reads them: text format 0.0.4.
enum MetricText {
  static let type = "text/plain; version=0.0.4; charset=utf-8"

  /// - Parameter kind: `gauge`, or `counter`, whose name ends in `_total`.
  static func family(
    _ name: String, _ kind: String, _ help: String, _ samples: [(labels: String, value: String)]
  ) -> String {
    guard !samples.isEmpty else { return "" }
    return "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
      + samples.map { "\(name)\($0.labels) \($0.value)\n" }.joined()
  }

  static func family(
    _ name: String, _ kind: String, _ help: String, _ samples: [(labels: String, value: Int)]
  )
    -> String
  {
    family(name, kind, help, samples.map { ($0.labels, String($0.value)) })
  }
}

/// Records by what became of them.
struct RecordCounts {
  var stored = 0
  var duplicates = 0
  var refused = 0

  mutating func add(_ receipt: Receipt) {
    stored += receipt.stored
    duplicates += receipt.duplicates
    refused += receipt.refused?.count ?? 0
  }

  var samples: [(labels: String, value: Int)] {
    [
      ("{result=\"stored\"}", stored), ("{result=\"duplicate\"}", duplicates),
      ("{result=\"refused\"}", refused),
    ]
  }
}
