import Foundation
import Testing
import TrackerWire

@testable import TrackerBase

private let python = "/usr/bin/python3"
private let hasValidator =
  (try? Tool.run(python, ["-c", "import jsonschema, yaml"], input: []))?.code == 0

/// docs/openapi.yaml against what the agent makes; `RecordedDriveTests` does the same with whole drives.
@Suite(
  "The contract with servers",
  .enabled(if: hasValidator, "jsonschema or yaml for Python is missing: deploy/packages test installs them"))
struct ContractTests {
  /// - Parameter document: one line of JSON.
  private func mistakes(in document: [UInt8], _ schema: String) throws -> String {
    let validate = Tool.repository.appendingPathComponent("Tests/Contract/validate").path
    let (code, text) = try Tool.run(python, [validate, schema, "--strict", "-"], input: document)
    return code == 0 ? "" : text
  }

  @Test("every kind of record is what it says")
  func records() throws {
    let events = CompactSamples.golden.suffix(1).map { record in
      var event = record
      event.sequence = 47
      event.content = .geofence(
        GeofenceEvent(action: .enter, geofence: "home", extras: #"{"jobId":"123"}"#))
      return event
    }
    let body = GeomonyFormat.body(
      records: CompactSamples.golden + events, queueID: 0x012_3456_789A_BCDE, status: #"{"version":"1.0"}"#)
    #expect(try mistakes(in: body, "Upload") == "")
  }

  @Test("what is wrong is reported, with its place and without its value")
  func wrong() throws {
    let body = #"{"location":[{"uuid":"x","timestamp":"now","latitude":47.5,"secret":1}]}"#
    let words = try mistakes(in: Array(body.utf8), "Upload")
    for part in ["location/0/uuid: breaks pattern", "['secret']", "location/0/timestamp: breaks format"] {
      #expect(words.contains(part), "\(words)")
    }
    #expect(words.contains("breaks required") && !words.contains("47.5"))
  }

  @Test("a status with everything that one can hold, and one with nothing, are what it says")
  func status() throws {
    for status in [StatusSamples.full, TrackerStatus()] {
      let json = StatusDocument.json(status, identity: StatusSamples.identity)
      #expect(try mistakes(in: Array(json.utf8), "Status") == "")
    }
  }
}
