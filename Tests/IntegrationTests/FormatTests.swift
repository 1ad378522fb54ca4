import Foundation
import FoundationNetworking
import Testing
import TrackerBase

@testable import TrackerWire

/// What the agent's encoders write, the collector reads: two implementations of each format that share nothing but
/// the documents.
@Suite(
  "The formats at the collector", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct FormatTests {
  @Test(
    "records of every kind come back, whatever stands in them",
    arguments: SyncSettings.Format.allCases.filter(\.traits.namesStored))
  func everyKind(format: SyncSettings.Format) async throws {
    let rig = try Rig()
    try await rig.startCollector()
    for seed in 1...25 as ClosedRange<UInt64> {
      var random = Random(state: seed)
      // Only events may be without a place.
      let records = RecordSamples.records(count: 1 + random.below(200), withDetails: false, &random)
        .filter { $0.fix != nil || $0.kind.isEvent }
      rig.device = "seed-\(seed)"
      let acknowledged = try await post(records, format, rig)
      #expect(Set(acknowledged) == Set(records.map(\.sequence)), "seed \(seed)")
      let stored = try rig.records()
      try #require(stored.count == records.count, "seed \(seed)")
      for (record, read) in zip(records, stored) { expect(read, is: record, in: format, "seed \(seed)") }
    }
  }

  /// - Returns: the sequences that the collector acknowledges.
  private func post(_ records: [Record], _ format: SyncSettings.Format, _ rig: Rig) async throws -> [Int64] {
    var request = URLRequest(url: URL(string: "\(rig.server)/v1/locations")!)
    request.httpMethod = "POST"
    request.setValue(rig.device, forHTTPHeaderField: "Godwit-Device")
    request.setValue(format.traits.contentType, forHTTPHeaderField: "Content-Type")
    let payload = Payload(records: records, queueID: 77, device: rig.device)
    request.httpBody = Data(format.wire.body(payload))
    let (answer, _) = try await URLSession.shared.data(for: request)
    let reply = try #require(ServerReply.parse(body: Array(answer)))
    return reply.echoed(of: records.map(\.sequence), queueID: 77) ?? []
  }

  private func expect(_ read: Collected, is record: Record, in format: SyncSettings.Format, _ seed: Comment) {
    #expect(read.sequence == record.sequence, seed)
    #expect(read.uuid == UUIDv8.text(queueID: 77, sequence: record.sequence), seed)
    #expect(read.timestamp == ISO8601.text(ms: record.time_ms), seed)
    #expect(read.event == record.kind.eventName, seed)
    var sent = record
    if format != .compact, record.kind == .geofence { sent.tripID = nil }
    #expect(details(read.extras ?? "") == details(sent.extrasOnWire), seed)
    // 0, 0 stands for no place.
    #expect(abs((read.latitude ?? 0) - (record.fix?.position.latitude_deg ?? 0)) < 0.000_005, seed)
    let apart_deg = abs((read.longitude ?? 0) - (record.fix?.position.longitude_deg ?? 0))
    #expect(min(apart_deg, 360 - apart_deg) < 0.000_005, seed)
  }

  /// The members, whatever their order; what is no object compares as the text that it is.
  private func details(_ extras: String) -> NSObject {
    let value = try? JSONSerialization.jsonObject(with: Data(extras.utf8)) as? NSDictionary
    return value ?? extras as NSString
  }
}
