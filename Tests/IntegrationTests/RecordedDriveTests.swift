import Foundation
import Testing

/// Real recordings through real gpsd, the agent and the collector: what arrives is what was fed.
@Suite(
  "Recorded drives", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct RecordedDriveTests {
  static let recordings = Rig.repository.appendingPathComponent("../shared/data/raw").standardized

  static func recording(_ name: String) -> URL { recordings.appendingPathComponent("\(name).nmea.gz") }

  static func isMissing(_ name: String) -> Bool {
    !FileManager.default.fileExists(atPath: recording(name).path)
  }

  @Test(
    "a drive with every fix kept arrives fix for fix",
    .disabled(
      if: isMissing("mountainview_f9k_2020"), "the recording mountainview_f9k_2020 is not on this machine"))
  func everyFix() async throws {
    let played = try await play("mountainview_f9k_2020", speed: 30, track: "sampling = \"all\"")
    let (records, sent) = (played.records, played.sent)
    let kept = positions(records)
    expectNothingInvented(kept, recording: played.recording)
    // The recording ends in mid-trip: from the departure on, every fix has arrived.
    let departure = try #require(
      records.last { record in
        record.event == "motionchange" && ["fixes", "probe"].contains(record.details["cause"] as? String)
      })
    let collected = Set(kept.map(\.time_ms))
    let driven = sent.filter { $0.time_ms >= departure.time_ms }
    let absent = driven.filter { !collected.contains($0.time_ms) }
    let story = records.filter { !$0.event.isEmpty }.map { "\($0.event) \($0.details)" }
    #expect(driven.count > 1000, "\(story)\n\(played.log)")
    #expect(absent.count == 0, "of \(driven.count) fixes of the trip are missing; \(story)\n\(played.log)")
  }

  @Test(
    "a long drive keeps few fixes, and none that was left out lies farther than 10 m off",
    .disabled(if: isMissing("reno_tahoe_2005"), "the recording reno_tahoe_2005 is not on this machine"))
  func bounded() async throws {
    let played = try await play("reno_tahoe_2005", speed: 120, track: "")
    let (records, sent) = (played.records, played.sent)
    let trips = try Trip.all(in: records)
    #expect(trips.count >= 1)
    let kept = positions(records)
    expectNothingInvented(kept, recording: played.recording)
    #expect(kept.count * 4 < sent.count, "\(kept.count) kept of \(sent.count)")
    var worst_m = 0.0
    for trip in trips {
      let line = kept.filter { trip.contains($0.time_ms, slack_ms: 0) }
      for fix in sent where trip.contains(fix.time_ms, slack_ms: 0) {
        if let error_m = synchronisedError_m(fix, from: line) { worst_m = max(worst_m, error_m) }
      }
    }
    // 10 m and what rounding to 1e-7 degrees adds.
    #expect(worst_m <= 10.1, "worst \(worst_m) m")
  }

  struct Played {
    var records: [Collected]
    var sent: [SentFix]
    var recording: String
    /// The agent's.
    var log: String
  }

  /// Feeds a recording at `speed` epochs a second and gives back what the collector then holds.
  private func play(_ name: String, speed: Int, track: String) async throws -> Played {
    let rig = try Rig()
    // The recording waits for this test, which a busy machine may hold up for half a minute.
    rig.gpsSettings = "silence_timeout_s = 600"
    let packed = rig.output(URL(fileURLWithPath: "/bin/gzip"), ["-dc", Self.recording(name).path])
    try Data(packed.filter { $0 < 128 }).write(to: rig.file("track.nmea"))
    try await rig.startCollector()
    try await rig.startFeeder([
      "--track", rig.file("track.nmea").path, "--speed", "\(speed)", "--cold-start-s", "2",
      "--up-to", rig.file("up-to").path,
    ])
    try await rig.startGPSD()
    try await rig.startAgent("[motion]\ngps_off_when_parked = false\n[track]\n\(track)\n")
    try await playToEnd(rig, step: 2 * speed)
    let rejected = (rig.status()?["gps"] as? [String: Any])?["rejected"] as? [String: Int] ?? [:]
    // After power-on gpsd has no date yet, and it reports some epochs twice; nothing else may be refused.
    // A receiver's first and torn epochs have no error estimate.
    #expect(Set(rejected.keys).isSubset(of: ["no_time", "duplicate", "accuracy"]), "\(rejected)")
    #expect(rejected["accuracy"] ?? 0 <= 5, "\(rejected)")
    // SIGTERM ends the track, and a second run delivers it.
    #expect(try await rig.end("agent") == 0)
    try await rig.startAgent("[motion]\ngps_off_when_parked = false\n")
    try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
    #expect(try await rig.end("agent") == 0)
    let contract = rig.contract()
    #expect(contract.isKept, "\(contract.words)")
    return Played(
      records: try rig.records(), sent: rig.sentFixes(), recording: rig.text("track.nmea"),
      log: rig.text("agent.log"))
  }

  /// gpsd throws away what a client that is too slow does not take: it never gets more than `step` epochs ahead.
  private func playToEnd(_ rig: Rig, step: Int) async throws {
    let last_ms = try #require(Sentence.all(in: rig.text("track.nmea")).last).timeOfDay_ms
    var epoch = 0
    try await rig.wait(until: "the recording is over") {
      let sent_ms = rig.sentFixes().last?.time_ms ?? 0
      let unread_ms = sent_ms - (rig.lastFix_ms() ?? 0)
      if unread_ms == 0, sent_ms % 86_400_000 == last_ms { return true }
      // One that the agent refuses is never read.
      if !rig.hasPlayed() || unread_ms > 5000 { return false }
      epoch += step
      try rig.play(upTo: epoch)
      return false
    }
    try await rig.end("feeder")
  }

  private func positions(_ records: [Collected]) -> [Collected] {
    records.filter { $0.event.isEmpty && $0.details["jump"] == nil }
  }

  /// Every position stands in a sentence of the recording, with its time of day.
  private func expectNothingInvented(_ kept: [Collected], recording: String) {
    let said = Dictionary(grouping: Sentence.all(in: recording), by: \.timeOfDay_ms)
    let invented = kept.filter { record in
      guard let lat = record.latitude, let lon = record.longitude else { return true }
      return !(said[record.timeOfDay_ms] ?? []).contains {
        abs($0.lat - lat) <= 2e-7 && abs($0.lon - lon) <= 2e-7
      }
    }
    #expect(kept.count > 10)
    #expect(invented.isEmpty, "\(invented.count) of \(kept.count) positions were never sent")
  }
}

/// A trip as its summary record reports.
struct Trip {
  var start_ms: Int64
  var end_ms: Int64

  static func all(in records: [Collected]) throws -> [Trip] {
    try records.filter { $0.event == "trip" }.map { record in
      Trip(
        start_ms: withinRollover(try #require(record.details["start_ms"] as? NSNumber).int64Value),
        end_ms: withinRollover(try #require(record.details["end_ms"] as? NSNumber).int64Value))
    }
  }

  func contains(_ time_ms: Int64, slack_ms: Int64) -> Bool {
    time_ms >= start_ms - slack_ms && time_ms <= end_ms + slack_ms
  }
}

/// Distance of a fix from the line between kept ones at its own time; nil outside the line.
func synchronisedError_m(_ fix: SentFix, from line: [Collected]) -> Double? {
  guard let next = line.firstIndex(where: { $0.time_ms >= fix.time_ms }) else { return nil }
  let b = line[next]
  if b.time_ms == fix.time_ms || next == 0 {
    return b.time_ms == fix.time_ms ? metres(fix.lat, fix.lon, b.latitude ?? 0, b.longitude ?? 0) : nil
  }
  let a = line[next - 1]
  guard let aLat = a.latitude, let aLon = a.longitude, let bLat = b.latitude, let bLon = b.longitude else {
    return nil
  }
  let share = Double(fix.time_ms - a.time_ms) / Double(b.time_ms - a.time_ms)
  return metres(fix.lat, fix.lon, aLat + share * (bLat - aLat), aLon + share * (bLon - aLon))
}

private func metres(_ lat1: Double, _ lon1: Double, _ lat2: Double, _ lon2: Double) -> Double {
  let perDegree = 111_195.08
  let north = (lat2 - lat1) * perDegree
  let east = (lon2 - lon1) * perDegree * cos((lat1 + lat2) / 2 * .pi / 180)
  return (north * north + east * east).squareRoot()
}

/// A place and time of day as an RMC, GGA or GLL sentence gives them.
struct Sentence {
  var timeOfDay_ms: Int64
  var lat: Double
  var lon: Double

  static func all(in recording: String) -> [Sentence] {
    recording.split(whereSeparator: \.isNewline).compactMap { Sentence(String($0)) }
  }

  /// Where time, latitude and longitude stand in each kind of sentence.
  private static let columns = ["RMC": (1, 3, 5), "GGA": (1, 2, 4), "GLL": (5, 1, 3)]

  init?(_ line: String) {
    let words = line.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    guard let columns = Sentence.columns[String(words[0].suffix(3))], words.count > 6,
      let time = Double(words[columns.0]), let lat = Double(words[columns.1]),
      let lon = Double(words[columns.2])
    else { return nil }
    func degrees(_ value: Double, _ side: String) -> Double {
      let whole = (value / 100).rounded(.down)
      return (whole + (value - whole * 100) / 60) * (side == "S" || side == "W" ? -1 : 1)
    }
    let hours = (time / 10_000).rounded(.down)
    let minutes = ((time - hours * 10_000) / 100).rounded(.down)
    let seconds = time - hours * 10_000 - minutes * 100
    timeOfDay_ms = Int64(((hours * 60 + minutes) * 60_000 + seconds * 1000).rounded())
    self.lat = degrees(lat, words[columns.1 + 1])
    self.lon = degrees(lon, words[columns.2 + 1])
  }
}
