import Foundation
import Testing
import TrackerBase
import TrackerWire

private let python = "/usr/bin/python3"
private let hasParser =
  (try? Tool.run(python, ["-c", "import prometheus_client.openmetrics.parser"], input: []))?.code == 0

private let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"].first {
  FileManager.default.isExecutableFile(atPath: $0)
}

/// What is made of the figures' declarations beside the document.
@Suite("The forms of the status")
struct StatusFormsTests {
  private func file(_ path: String) throws -> String {
    try String(contentsOf: Tool.repository.appendingPathComponent(path), encoding: .utf8)
  }

  /// With GODWIT_REFRESH in the environment the file is made anew.
  private func expect(_ path: String, toBe text: (_ old: String) -> String) throws {
    let text = text(try file(path))
    if ProcessInfo.processInfo.environment["GODWIT_REFRESH"] != nil {
      try text.write(to: Tool.repository.appendingPathComponent(path), atomically: true, encoding: .utf8)
    }
    #expect(try file(path) == text, "refresh it: GODWIT_REFRESH=1 swift test --filter StatusFormsTests")
  }

  @Test("docs/status.schema.json is what the figures say")
  func schema() throws { try expect("docs/status.schema.json") { _ in StatusSchema.text() } }

  @Test("so is the table of docs/status.md")
  func table() throws {
    let (begin, end) = ("<!-- figures -->\n", "<!-- end of figures -->\n")
    try expect("docs/status.md") { old in
      let parts = old.components(separatedBy: begin)
      let rest = parts[parts.count - 1].components(separatedBy: end)
      return parts[0] + begin + StatusTable.text() + end + rest[rest.count - 1]
    }
  }

  private func metrics() throws -> String {
    let json = StatusDocument.json(StatusSamples.full, identity: StatusSamples.identity)
    return try #require(StatusMetrics.text(json))
  }

  @Test(
    "a metric has its type, its unit and its meaning, base units, and labels",
    arguments: [
      """
      # TYPE godwit_gps_fixes counter
      # HELP godwit_gps_fixes Fixes that were used.
      godwit_gps_fixes_total 101

      """,
      """
      # TYPE godwit_gps_on_seconds counter
      # UNIT godwit_gps_on_seconds seconds
      # HELP godwit_gps_on_seconds Time for which the module had power.
      godwit_gps_on_seconds_total 3601

      """,
      """
      godwit_info{schema="godwit-status/1",device="van \\"7\\"",version="1.2.3",settings="0f",boot_id="b"} 1

      """,
      "\ngodwit_status_timestamp_seconds 1772441487.123\n", "\ngodwit_activity_confidence_ratio 0.9\n",
      "\ngodwit_trip_odometer_meters 98766.0\n", "\ngodwit_battery_volts 11.8\n", "\ngodwit_undervoltage 1\n",
      "\ngodwit_motion{state=\"unknown\"} 0\ngodwit_motion{state=\"moving\"} 1\n",
      "\ngodwit_gps_rejected_total{reason=\"accuracy\"} 7\ngodwit_gps_rejected_total{reason=\"stale\"} 1\n",
      "\ngodwit_gps_time_to_first_fix_after_seconds{gap=\"under_2_h\"} 2.5\n",
      "\ngodwit_sync_requests_total 301\ngodwit_sync_requests_total{server=\"second\"} 6\n",
      "\ngodwit_sync_problem{state=\"busy\"} 1\n",
      "\ngodwit_sync_problem{server=\"second\",state=\"no_subscriber\"} 1\n",
      "\ngodwit_queue_records 201\ngodwit_queue_records{server=\"second\"} 7\n",
      "\ngodwit_warnings_total{name=\"sync_failed\"} 2\n",
      "\ngodwit_warnings_last_timestamp_seconds{name=\"towed\"} 1772435000.0\n", "\n# EOF\n",
    ])
  func metric(lines: String) throws {
    let text = try metrics()
    #expect(text.contains(lines), "\(text)")
  }

  @Test("each name of a metric is there once, and says no place")
  func names() throws {
    let types = try metrics().split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
    #expect(types.count > 70 && Set(types).count == types.count)
    #expect(!types.contains { $0.contains("latitude") || $0.contains("longitude") })
  }

  @Test("what is no status has no metrics")
  func none() throws {
    let json = StatusDocument.json(StatusSamples.full, identity: StatusSamples.identity)
    let others = [
      "no such request", "", "{}", #"{"schema":"godwit-status/2"}"#, String(json.dropLast()), json + json,
    ]
    for other in others { #expect(StatusMetrics.text(other) == nil, "\(other.prefix(40))") }
  }

  @Test(
    "texts are escaped scalar by scalar",
    arguments: [("a\"\u{301}b", #"a\""# + "\u{301}b"), ("a\r\nb", "a\r\\nb"), ("\\\u{308}", "\\\\\u{308}")])
  func escapes(text: String, escaped: String) throws {
    var json = JSONWriter()
    json.beginObject()
    json.member("schema", "godwit-status/1")
    json.member("device", text)
    json.endObject()
    let metrics = try #require(StatusMetrics.text(json.text))
    #expect(Array(metrics.unicodeScalars).contains(Array("device=\"\(escaped)\"".unicodeScalars)))
  }

  /// Also what node_exporter reads, an older form of the same: there, quotes in a HELP line are mistakes.
  @Test("the meanings need no escapes")
  func plain() {
    #expect(!StatusTable.text().contains { "\"\\".contains($0) })
    #expect(StatusTable.text().split(separator: "\n").allSatisfy { $0.split(separator: "|").count == 3 })
  }

  @Test(
    "Prometheus' own parser reads all of it",
    .enabled(if: hasParser, "prometheus_client for Python is missing: deploy/packages test installs it"))
  func parsed() throws {
    let script = """
      import sys
      from prometheus_client.openmetrics.parser import text_string_to_metric_families
      for family in text_string_to_metric_families(sys.stdin.read()):
          for sample in family.samples:
              print(family.name, family.type, family.unit or "-", sample.name, sample.value)
      """
    for status in [StatusSamples.full, TrackerStatus()] {
      let json = StatusDocument.json(status, identity: StatusSamples.identity)
      let text = try #require(StatusMetrics.text(json))
      let (code, words) = try Tool.run(python, ["-c", script], input: Array(text.utf8))
      let samples = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      #expect(code == 0 && words.split(separator: "\n").count == samples.count, "\(words)")
      #expect(words.contains("godwit_uptime_seconds gauge seconds godwit_uptime_seconds "))
    }
  }

  @Test(
    "promtool has nothing to say of the older text, with every figure and with few",
    .enabled(if: promtool != nil, "promtool is missing: deploy/packages test installs it"))
  func checked() throws {
    for status in [StatusSamples.full, TrackerStatus()] {
      let json = StatusDocument.json(status, identity: StatusSamples.identity)
      let text = try #require(StatusMetrics.text(json, as: .prometheus))
      let (code, words) = try Tool.run(
        "/bin/sh", ["-c", "exec \(try #require(promtool)) check metrics 2>&1"], input: Array(text.utf8))
      #expect(code == 0 && words.isEmpty, "\(words)")
    }
  }

  @Test("both texts have the same samples; a counter's family has its samples' name in the older one alone")
  func dialects() throws {
    func samples(_ text: String) -> [Substring] { text.split(separator: "\n").filter { !$0.hasPrefix("#") } }
    let json = StatusDocument.json(StatusSamples.full, identity: StatusSamples.identity)
    let older = try #require(StatusMetrics.text(json, as: .prometheus))
    #expect(try samples(older) == samples(metrics()))
    #expect(older.contains("\n# TYPE godwit_gps_fixes_total counter\n# HELP godwit_gps_fixes_total Fixes "))
    #expect(!older.contains("# UNIT") && !older.contains("# EOF"))
  }
}
