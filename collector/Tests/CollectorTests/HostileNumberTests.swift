import Foundation
import HTTPTypes
import SwiftProtobuf
import Testing

@testable import Collector

/// A device may send any number that its format can write: none ends the collector, and all questions are
/// answered.
@Suite("Hostile numbers")
struct HostileNumberTests {
  private static let numbers = [
    "-9223372036854775808", "9223372036854775807", "9223372036854775808", "-62167219200001", "1.7e308",
    "-1.7e308", "0.5", "-0",
  ]

  private static let questions = [
    "/v1/fleet", "/metrics", "/v1/devices", "/v1/devices/van-7", "/v1/devices/van-7/records",
    "/v1/devices/van-7/gaps", "/v1/devices/van-7/gaps?from=2025-01-01T00:00:00Z&to=2027-01-01T00:00:00Z",
    "/v1/devices/van-7/day?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z",
    "/v1/devices/van-7/day?from=0000-01-01T00:00:00Z&to=0000-01-02T00:00:00Z",
    "/v1/devices/van-7/day?from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59.999Z",
    "/v1/devices/van-7/export.csv", "/v1/devices/van-7/export.gpx", "/v1/devices/van-7/export.geojson",
    "/v1/devices/van-7/config", "/v1/devices/van-7/commands",
  ]

  private func demandAnswers(_ client: TestClient) async throws {
    _ = try await client.post(#"{"command":"sync"}"#, path: "/v1/devices/van-7/commands")
    #expect(try await client.put("/v1/devices/van-7/config", #"{"settings":{}}"#).status == 200)
    for question in Self.questions {
      let answer = try await client.get(question)
      #expect(answer.status == 200, "\(question): \(answer.text)")
    }
  }

  @Test("in records and in a status", arguments: numbers)
  func plain(number: String) async throws {
    let names = [
      "begin_ms", "end_ms", "start_ms", "trip", "until_ms", "left_after_ms", "distance_m", "idle_s",
      "top_speed_mps",
    ]
    let members = names.map { #"\"\#($0)\":\#(number)"# }.joined(separator: ",")
    let records = ["gap", "trip", "status", "geofence", "warning", ""].enumerated().map { index, event in
      record(
        uuid(UInt64(index)), time: "2026-01-01T00:00:0\(index)Z", event: event,
        extra: #","altitude":\#(number),"speed":\#(number),"odometer":\#(number)"#
      )
      .replacing(#""extras":"""#, with: #""extras":"{\"cause\":\"parked\",\#(members)}""#)
      .replacing(#""altitude":0.0,"#, with: "").replacing(#""speed":12.5,"#, with: "")
    }
    let edges = [
      record(uuid(10), time: "0000-01-01T00:00:00Z"), record(uuid(11), time: "9999-12-31T23:59:59.998Z"),
    ]
    let status = """
      {"time":\(number),"config":{"desired":\(number),"in_force":\(number),"refused":\(number)},
      "sleep":{"state":"asleep","until":\(number)},"version":"\(number)","queue":{"records":\(number)},
      "warnings":{"towed":{"last":\(number)}},"commands":{"results":[{"id":\(number),"result":"done"}]}}
      """
    try await withCollector { client, _ in
      let receipt = try await client.post(body(records + edges, status: status)).decoded(Receipt.self)
      #expect(receipt.stored == 8)
      try await demandAnswers(client)
    }
  }

  @Test(
    "in each column of a compact body, and in its events",
    arguments: [.min, .min + 1, -1, 1 << 62, Int64.max]
  )
  func compact(number: Int64) async throws {
    let batch = Godwit_Compact_Batch.with {
      ($0.timeUnitMs, $0.positionUnitE7, $0.accuracyUnitCm) = (1000, 1000, 1000)
      ($0.sequence, $0.time, $0.count) = ([0, 1, 1], [1_767_225_600, 1, 1], 3)
      ($0.kind, $0.flags) = ([.gap, .trip, .motionChange], [.max, .max, .max])
      // Their sum goes round.
      let column = [number, number, number]
      ($0.trip, $0.odometer, $0.confidence, $0.altitude) = (column, column, column, column)
      ($0.speed, $0.course, $0.accuracy, $0.satellites) = (column, column, column, column)
      ($0.altitudeAccuracy, $0.speedAccuracy, $0.courseAccuracy) = (column, column, column)
      $0.gaps = [.with { ($0.cause, $0.durationMs, $0.endAgoMs) = (.parked, number, number) }]
      $0.trips = [
        .with {
          ($0.record, $0.trip, $0.endAgoMs, $0.durationMs, $0.idleS) = (1, number, number, number, number)
          ($0.distanceDm, $0.topSpeedDmps, $0.leftAfterMsBeforeStart) = (number, number, number)
        }
      ]
      $0.motionChanges = [
        .with { ($0.record, $0.leftAfterAgoMs, $0.leftBeforeAgoMs) = (2, number, number) }
      ]
    }
    try await withCollector { client, _ in
      let answer = try await client.post(compact: try batch.serializedBytes())
      #expect(answer.status == 200, "\(answer.text)")
      try await demandAnswers(client)
    }
  }
}
