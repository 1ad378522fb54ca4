import Foundation
import Testing
import TrackerWire

@testable import TrackerCore

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

  @Test("what is wrong is told, with its place and without its value")
  func wrong() throws {
    let body = #"{"location":[{"uuid":"x","timestamp":"now","latitude":47.5,"secret":1}]}"#
    let words = try mistakes(in: Array(body.utf8), "Upload")
    for part in ["location/0/uuid: breaks pattern", "['secret']", "location/0/timestamp: breaks format"] {
      #expect(words.contains(part), "\(words)")
    }
    #expect(words.contains("breaks required") && !words.contains("47.5"))
  }

  @Test("a status with everything that one can hold is what it says")
  func status() throws {
    let status = ContractTests.fullStatus
    // A new member that is left out here would go unchecked.
    for member in Mirror(reflecting: status).children {
      let value = Mirror(reflecting: member.value)
      #expect(
        !(value.displayStyle == .optional && value.children.isEmpty), "set \(member.label ?? "?") here")
    }
    let identity = StatusDocument.Identity(device: "van", version: "1", settingsHash: "0f", bootID: "b")
    let json = StatusDocument.json(status, identity: identity)
    #expect(try mistakes(in: Array(json.utf8), "Status") == "")
  }

  static var fullStatus: TrackerStatus {
    var status = TrackerStatus()
    (status.motion, status.clockTrust, status.sync.state) = ("moving", "gps", "backing_off")
    status.undervoltage = true
    status.activity = Activity(isMoving: true, fix: CompactSamples.golden[0].fix)
    status.noTrackCause = .noSky
    status.battery = TrackerStatus.Battery(volts: 11.8, isLow: true, factor: 4)
    status.intents = [
      .init(kind: .pause, left_s: 7200, until_ms: 1_772_442_287_000), .init(kind: .track, left_s: 60),
    ]
    status.intentsAreUnsaved = true
    status.safeMode = .init(crashes: 5, left_s: 3000)
    status.nextWindowChange_ms = 1_772_440_000_000
    status.timeToFirstFix_s = 2.5
    for gap in StartTimes.Gap.allCases { status.startTimes.note(2500, after: gap) }
    status.satellites = 9
    (status.receiver, status.dynamicModel) = ("/dev/ttyAMA0", "other_driver")
    status.lastFix_ms = 1_772_435_086_000
    status.rejected = [("stale", 1)]
    (status.tripID, status.tripDistance_m) = (3, 1200.4)
    (status.hasLines, status.ignitionIsOn) = (true, true)
    status.geofencesInside = ["depot"]
    status.sync.nextAttempt_s = 12
    status.sync.lastReply = "503"
    (status.sync.problem, status.sync.problem_s) = (.busy, 40)
    status.budget = TrackerStatus.Budget(
      level: .events, day_bytes: 900, dayLimit_bytes: 1000, month_bytes: 1, monthLimit_bytes: 2)
    status.sync.lastDelivery_s = 70
    status.others = [("second", 7, status.sync)]
    status.warnings = [
      .init(
        name: "sync_failed", count: 2, last_ms: 1_772_435_000_000, since_ms: 1_772_434_000_000,
        until_ms: 1_772_435_001_000)
    ]
    return status
  }
}
