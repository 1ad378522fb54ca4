import Foundation
import Testing
import TrackerBase
import TrackerWire

private let protoc = "/usr/bin/protoc"

@Suite(
  "protoc and the compact format",
  .enabled(if: access(protoc, X_OK) == 0, "protoc is missing: deploy/packages test installs it"))
struct ProtocTests {
  @Test("Debian's protoc reads a body by docs/godwit.proto")
  func decode() throws {
    let payload = Payload(
      records: CompactSamples.golden, queueID: 0x012_3456_789A_BCDE, device: "van",
      status: #"{"version":"1.0"}"#)
    let body = CompactFormat.body(payload)
    let text = try decoded(body)
    let lines = text.split(separator: "\n").map { String($0) }
    #expect(lines.contains("queue_id: 5124095576030430"))
    #expect(lines.contains("time_unit_ms: 1000") && lines.last == "count: 5")
    #expect(lines.contains(#"status: "{\"version\":\"1.0\"}""#))
    #expect(lines.prefix { !$0.hasSuffix("{") }.count { $0.hasPrefix("sequence: ") } == 5)
    #expect(lines.contains("motion_changes {") && lines.contains("  cause: IGNITION"))
    #expect(lines.contains("others {") && lines.contains("  record: 4"))
    // A field that the definition does not know would be printed by its number.
    #expect(lines.allSatisfy { !($0.first?.isNumber ?? true) }, "\(text)")
  }

  private func decoded(_ body: [UInt8]) throws -> String {
    let docs = Tool.repository.appendingPathComponent("docs").path
    let (code, text) = try Tool.run(
      protoc, ["--decode=godwit.compact.Batch", "-I", docs, "godwit.proto"], input: body)
    #expect(code == 0)
    return text
  }
}
