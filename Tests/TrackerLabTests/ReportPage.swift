import Testing
import TrackerBase
import TrackerWire

@testable import TrackerLab

/// A report as its script finds it.
struct ReportPage {
  let text: String
  /// As it is in the page.
  let json: String
  let data: JSONValue

  init(_ results: [ReplayResult], isSweep: Bool = false) throws {
    text = ReplayReport.html(results, isSweep: isSweep)
    let begin = try #require(text.firstRange(of: "<script type=\"application/json\" id=\"data\">")).upperBound
    let end = try #require(text[begin...].firstRange(of: "</script>")).lowerBound
    json = String(text[begin..<end])
    data = try #require(JSONReader.parse(Array(json.utf8)))
  }

  /// All results, track by track.
  var entries: [JSONValue] { (data["tracks"]?.array ?? []).flatMap { $0.array ?? [] } }

  static func entry(_ result: ReplayResult) throws -> JSONValue {
    try #require(ReportPage([result]).entries.first)
  }
}

extension JSONValue {
  /// `["result", "trips"]`
  func array(_ path: String...) -> [JSONValue] {
    path.reduce(self as JSONValue?) { $0?[$1] }?.array ?? []
  }

  var numbers: [Double] { (array ?? []).compactMap(\.number) }
}
