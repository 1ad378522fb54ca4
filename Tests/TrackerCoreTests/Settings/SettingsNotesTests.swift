import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Settings that are allowed and most likely not meant")
struct SettingsNotesTests {
  private func notes(_ change: (inout Settings) -> Void) -> [String] {
    var settings = Settings()
    change(&settings)
    return settings.notes
  }

  @Test("a line that is named and that nobody would use is noted")
  func lines() {
    let unused =
      "gps.power names what switches the GPS, but gps.power.mode is \"none\": the agent takes it as always on; set the mode"
    #expect(notes { ($0.gps.power.chip, $0.gps.power.line) = ("header", "17") } == [unused])
    #expect(notes { $0.gps.power.command = ["/usr/bin/gps"] } == [unused])
    // A profile's chip may stand there for lines that come later.
    #expect(notes { $0.gps.power.chip = "header" } == [])
    #expect(
      notes { ($0.gps.power.mode, $0.gps.power.chip, $0.gps.power.line) = (.level, "header", "17") } == [])
    #expect(
      notes { $0.ignition.chip = "header" } == [
        "ignition.chip is set and ignition.line is not: that line is not watched; set ignition.line"
      ])
    #expect(notes { ($0.ignition.chip, $0.ignition.line) = ("header", "27") } == [])
  }

  @Test("a broker that may lose what it has acknowledged is noted")
  func brokers() {
    let old =
      "sync.mqtt_version is \"3.1.1\": a broker may acknowledge what it throws away, such as a message over its size limit; so a message has at most 20 records (sync.mqtt_3_1_1_batch_size); use \"5\" if the broker knows it"
    let accepting =
      "sync.no_subscriber is \"accept\": a broker that stores nothing itself, such as mosquitto, loses what comes while no client subscribes"
    func notes(_ change: (inout SyncSettings) -> Void) -> [String] {
      self.notes { settings in
        settings.sync.url = "mqtts://b.example.com/{device}"
        change(&settings.sync)
      }
    }
    #expect(notes { $0.mqttVersion = .v3_1_1 } == [old])
    #expect(notes { ($0.mqttVersion, $0.ack) = (.v3_1_1, .strict) } == [])
    #expect(notes { $0.noSubscriber = .accept } == [accepting])
    #expect(notes { _ in } == [])
    #expect(
      notes { $0.url = "mqtts://b.example.com/fleet/records" } == [
        "sync.url has no {device} in its topic, and nothing else in a message of \"geomony\" names the device: put /{device}/ into it"
      ])
  }

  @Test("an assumed accuracy that is refused is noted")
  func unknownAccuracy() {
    let note =
      "gps.unknown_accuracy_m (150) is above gps.max_accuracy_m (100): a receiver that gives no accuracy makes no track"
    #expect(notes { $0.gps.unknownAccuracy_m = 150 } == [note])
    #expect(notes { $0.gps.unknownAccuracy_m = 100 } == [])
  }

  @Test("a voltage in the place of a difference is noted")
  func hysteresis() {
    let note =
      "battery.hysteresis_v is as much as battery.low_v: a battery that was low once stays so for ever, since it is added to low_v; usual is 0.4"
    #expect(notes { ($0.battery.voltageFile, $0.battery.hysteresis_v) = ("/x", 12.4) } == [note])
    #expect(notes { $0.battery.voltageFile = "/x" } == [])
    #expect(notes { $0.battery.hysteresis_v = 12.4 } == [])
  }

  @Test("an address that names another format than the one that is sent is noted")
  func otherFormat() {
    let note =
      "sync.url is an address for overland, and sync.format is \"geomony\": a server may answer 200 to a format that it does not know, and store nothing"
    #expect(
      notes { $0.sync.url = "https://dawarich.example.com/api/v1/overland/batches?api_key=x" } == [note])
    #expect(notes { $0.sync.url = "https://a.example/api/v1/OwnTracks/points" }.count == 1)
    #expect(
      notes { ($0.sync.url, $0.sync.format) = ("https://a.example/owntracks", .owntracks) } == [])
    for url in [
      "https://traccar.example.com/v1", "https://a.example/track", "mqtts://b.example/owntracks/a/{device}",
    ] {
      #expect(notes { $0.sync.url = url } == [])
    }
  }
}
