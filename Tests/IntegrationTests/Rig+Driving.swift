import Foundation
import Testing

/// A vehicle that drives, and what became of what it recorded.
extension Rig {
  static let everyFix = "[track]\nsampling = \"all\"\n"

  /// The agent is not there yet.
  static func driving() async throws -> Rig {
    let rig = try Rig()
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    return rig
  }

  /// Of the status.
  var sync: [String: Any] { status()?["sync"] as? [String: Any] ?? [:] }
  var warnings: [String: Any] { status()?["warnings"] as? [String: Any] ?? [:] }

  /// N1 and N2: each record that was made has arrived, once, and none was taken for a bad one.
  func expectAllOnce() async throws {
    try await end("feeder", with: SIGKILL)
    try await wait(until: "everything is delivered") { waiting() == 0 }
    let sequences = try records().map(\.sequence)
    #expect(sequences == Array(1...(sequences.last ?? 1)))
    #expect(warnings["records_refused"] == nil)
  }
}
