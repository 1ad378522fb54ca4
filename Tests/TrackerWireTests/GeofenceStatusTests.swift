import Testing

@testable import TrackerBase
@testable import TrackerWire

@Suite("Geofences in the status")
struct GeofenceStatusTests {
  private func json(_ change: (inout TrackerStatus) -> Void) -> String {
    var status = TrackerStatus()
    change(&status)
    let identity = StatusDocument.Identity(device: "d", version: "1", settingsHash: "h", bootID: "b")
    return StatusDocument.json(status, identity: identity)
  }

  private func line(_ json: String) -> Substring? {
    StatusReport.text(json).split(separator: "\n").first { $0.hasPrefix("geofences") }
  }

  @Test("count, what is inside, and what has expired")
  func inside() {
    let text = json {
      $0.geofences.count = 12
      $0.geofences.setInside(["depot", "Zürich \"2\""])
      $0.geofences.expired = 3
      $0.geofences.events = 7
    }
    let object =
      #""geofences":{"count":12,"expired":3,"events":7,"inside_count":2,"inside":["depot","Zürich \"2\""]}"#
    #expect(text.contains(object))
    #expect(line(text) == "geofences    inside depot, Zürich \"2\", 12 in all, 3 expired")
  }

  @Test("of very many, fifty are named and the others counted")
  func many() {
    let text = json {
      $0.geofences.count = 60
      $0.geofences.setInside((1...60).map { "f\($0)" })
    }
    let inside = JSONReader.parse(Array(text.utf8))?["geofences"]?["inside"]?.array
    #expect(inside?.count == 50)
    #expect(line(text)?.hasSuffix("f50 and 10 more, 60 in all") == true)
  }

  @Test("without geofences a person sees no line of them; outside all, it says so")
  func none() {
    #expect(line(json { _ in }) == nil)
    #expect(line(json { $0.geofences.count = 1 }) == "geofences    outside all, 1 in all")
  }
}
