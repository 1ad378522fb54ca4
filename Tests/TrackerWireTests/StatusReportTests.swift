import Testing

@testable import TrackerBase
@testable import TrackerWire

@Suite("The status for a person")
struct StatusReportTests {
  private func lines(_ members: String, begin title: String) -> [Substring] {
    StatusReport.text("{\"schema\":\"godwit-status/1\",\(members)}").split(separator: "\n")
      .filter { $0.hasPrefix(title) }
  }

  @Test(
    "how far the receiver's dynamic model is",
    arguments: [
      ("pending", "dynamic model not set yet"), ("set", "dynamic model set"),
      ("failed", "DYNAMIC MODEL NOT SET"), ("other_driver", "dynamic model left alone, no u-blox"),
    ])
  func dynamicModel(progress: String, words: String) {
    let gps = #""gps":{"powered":true,"on_s":70,"dynamic_model":"\#(progress)","fixes":5,"kept":2}"#
    let line = "gps          on, 1 min 10 s on in all, \(words), 2 of 5 fixes kept"
    #expect(lines(gps, begin: "gps").map(String.init) == [line])
    #expect(lines("\"gps\":{}", begin: "gps") == ["gps          off, 0 s on in all, 0 of 0 fixes kept"])
  }

  @Test(
    "the clock, who keeps it right, and how far the system's is off",
    arguments: [
      ("ntp", "", "kept right by NTP"), ("gps", ",\"clock_offset_s\":0.4", "kept right by GPS"),
      ("gps", ",\"clock_offset_s\":-3.5", "kept right by GPS, the system's 3.5 s behind"),
      ("gps", ",\"clock_offset_s\":90", "kept right by GPS, the system's 90.0 s ahead"),
      ("rtc", "", "by the board's own clock alone"),
      ("none", "", "NOT CONFIRMED by GPS or NTP"),
    ])
  func clock(source: String, offset: String, words: String) {
    let members = #""time":"2026-03-02T07:10:00.123Z","clock_source":"\#(source)"\#(offset)"#
    #expect(lines(members, begin: "clock") == ["clock        2026-03-02 07:10:00 UTC, \(words)"])
    #expect(lines(#""time":"2026-03-02T07:10:00.123Z""#, begin: "clock") == [])
  }

  @Test("the age of the last fix, or that there was none")
  func lastFix() {
    let gps = #""gps":{"on_today_s":70,"sessions_today":2"#
    #expect(
      lines(gps + #","last_fix_ago_s":3700}"#, begin: "  today")
        == ["  today      1 min 10 s on in 2 sessions, last fix 1 h 1 min ago"])
    #expect(
      lines(gps + "}", begin: "  today") == [
        "  today      1 min 10 s on in 2 sessions, no fix since the start"
      ])
  }

  @Test("what of the queue somebody should look at, and a supply that is lost")
  func queue() {
    #expect(
      lines(#""queue":{"records":0,"in_memory":0,"storage":"ok","quarantined":0}"#, begin: "queue")
        == ["queue        0 records wait, 0 not yet on storage"])
    #expect(
      lines(#""queue":{"records":1,"oldest_ago_s":9,"in_memory":0,"storage":"ok"}"#, begin: "queue")
        == ["queue        1 record waits, 0 not yet on storage, oldest 9 s"])
    let queue =
      #""queue":{"records":7,"oldest_ago_s":7260,"quarantined":2,"ledger":{"purged":3,"damage":4},"storage":"ok"}"#
    #expect(
      lines(queue, begin: "queue") == [
        "queue        7 records wait, 0 not yet on storage, oldest 2 h 1 min; 2 in quarantine; 7 ever dropped"
      ])
    #expect(
      lines(#""queue":{"records":1,"in_memory":1,"storage":"ok"}"#, begin: "queue")
        == ["queue        1 record waits, 1 not yet on storage"])
    #expect(
      lines(#""trip":{"ended":1,"odometer_m":0}"#, begin: "trip")
        == ["trip         none, odometer 0.0 km, 1 trip ended"])
    #expect(lines(#""external_power":false"#, begin: "supply") == ["supply       LOST"])
    #expect(lines(#""external_power":true"#, begin: "supply") == [])
  }

  @Test("the modem, the bytes, the charge and the board, where the document says anything of them")
  func board() {
    let text = StatusReport.text(StatusDocument.json(StatusSamples.full, identity: StatusSamples.identity))
    let lines = text.split(separator: "\n").map { String($0) }
    for line in [
      "link         wwan0, Elsewhere, lte, signal 61 %, -101.5 dBm, ROAMING",
      "traffic      today 936 B up and 321 B down, this month 331 B up and 341 B down",
      "energy       1232 mAh today, 801 mAh for the whole day",
      "board        51.2 °C, had undervoltage, 1.2 GB free, card's life 30 % used",
    ] {
      #expect(lines.contains(line), "\(text)")
    }
    let empty = StatusReport.text(StatusDocument.json(TrackerStatus(), identity: StatusSamples.identity))
    #expect(!["link", "traffic", "energy", "board"].contains { empty.contains("\n\($0)") })
  }

  @Test(
    "what noticed the last departure, in words, and how long after it left",
    arguments: [
      (#""noticed_by":"cell","noticed_within_s":48"#, "by the modem's cell, at most 48 s after it left"),
      (#""noticed_by":"probe","noticed_within_s":1210"#, "by a probe, at most 20 min 10 s after it left"),
      (#""noticed_by":"fixes","noticed_within_s":0"#, "by the GPS, which was on, as it left"),
      (#""noticed_by":"ignition","noticed_within_s":0"#, "by the ignition, as it left"),
      (#""noticed_by":"a_later_one""#, "by a later one, as it left"),
    ])
  func noticed(trip: String, words: String) {
    #expect(lines("\"trip\":{\(trip)}", begin: "  noticed") == ["  noticed    \(words)"])
    #expect(lines("\"trip\":{}", begin: "  noticed") == [])
  }

  @Test(
    "the modem's cells and the accelerometer, where they are used",
    arguments: [
      (#""motion_cells_state":"told","motion_cells":1"#, "1 cell of this place"),
      (#""motion_cells_state":"told""#, "cells told"),
      (#""motion_cells_state":"too_many","motion_cells":32"#, "too many cells here"),
      (#""motion_cells_state":"silent","link":{}"#, "the modem tells no cell"),
      (#""lines":{"accelerometer":"failed"}"#, "ACCELEROMETER FAILED"),
      (#""lines":{"accelerometer":"opening"}"#, "accelerometer not there yet"),
      (
        #""motion_cells_state":"told","motion_cells":3,"lines":{"accelerometer":"read","acceleration_signs":1,"acceleration_threshold_mps2":0.75}"#,
        "3 cells of this place; accelerometer is read from 0.75 m/s², 1 sign"
      ),
      (
        #""lines":{"accelerometer":"tells","acceleration_signs":34,"acceleration_threshold_mps2":0.5}"#,
        "accelerometer tells from 0.5 m/s², 34 signs"
      ),
    ])
  func signs(members: String, words: String) {
    #expect(lines(members, begin: "signs") == ["signs        \(words)"])
  }

  @Test("no line for cells without a modem, nor where nothing is on")
  func noSigns() {
    #expect(lines(#""motion_cells_state":"silent""#, begin: "signs") == [])
    #expect(lines(#""lines":{"ignition":true}"#, begin: "signs") == [])
  }

  @Test("of each warning whether it lasts, is over, or reported a moment")
  func warnings() {
    let warnings = """
      "warnings":{
        "gpsd_lost":{"count":3,"last":"2026-03-02T07:10:00.000Z","since":"2026-03-02T07:04:00.000Z"},
        "sync_failed":{"count":2,"last":"2026-03-02T06:01:00.000Z","since":"2026-03-02T06:00:00.000Z","until":"2026-03-02T06:05:00.000Z"},
        "gps_jump":{"count":1,"last":"2026-03-02T05:00:00.000Z"}}
      """
    #expect(
      lines(warnings, begin: "warning") == [
        "warning      gpsd_lost: still, since 2026-03-02T07:04:00.000Z; 3 times, last 2026-03-02T07:10:00.000Z",
        "warning      sync_failed: over, from 2026-03-02T06:00:00.000Z until 2026-03-02T06:05:00.000Z; 2 times, last 2026-03-02T06:01:00.000Z",
        "warning      gps_jump: 1 time, last 2026-03-02T05:00:00.000Z",
      ])
  }

  @Test("a board that sleeps, or what keeps it awake, and what woke it")
  func sleep() {
    let asleep =
      #""sleep":{"state":"asleep","because":"window_closed","until":"2026-03-02T06:58:00.000Z","lead_s":66}"#
    #expect(
      lines(asleep, begin: "sleep")
        == ["sleep        asleep until 2026-03-02T06:58:00.000Z, because: window closed"])
    let awake =
      #""sleep":{"state":"awake","held_by":"just_awake","woken_by":"alarm","woken":"2026-03-02T06:58:09.000Z","slept_s":36060}"#
    #expect(
      lines(awake, begin: "sleep") == [
        "sleep        awake: just awake, last woken by alarm at 2026-03-02T06:58:09.000Z after 10 h 1 min"
      ])
    #expect(lines(#""trip":{}"#, begin: "sleep") == [])
  }

  private func all(_ members: String) -> [String] {
    StatusReport.text("{\"schema\":\"godwit-status/1\",\(members)}").split(separator: "\n").map { String($0) }
  }

  @Test("commands: how many, what became of each, and why, in 80 columns")
  func commands() {
    let why =
      "this version knows no such command, but locate, sync, status, track_for, pause, resume, report, restart, quarantine_retry"
    let commands = """
      "commands":{"done":3,"refused":1,"failed":0,"expired":0,"repeated":2,"passed_over":4,
        "topic_today_bytes":1048576,"topic_cut_off":1,"topic_rests":true,"results":[
        {"id":"c-17","command":"locate","result":"running","at":"2026-03-02T07:10:00.000Z"},
        {"id":"an-id-of-more-than-12","command":"unknown","result":"refused","why":"\(why)","at":"2026-03-02T07:11:00.000Z"}]}
      """
    let lines = all(commands)
    let begin = lines.firstIndex { $0.hasPrefix("commands") } ?? 0
    #expect(
      lines[begin...] == [
        "commands     3 done, 1 refused, 2 repeated, 4 passed over since the start",
        "  topic      RESTS until the next day (UTC), cut off once, and what the broker",
        "             held given up, 1.0 MB today",
        "  an-id-of-more-than-12",
        "             unknown refused at 2026-03-02T07:11:00.000Z: this version knows no",
        "             such command, but locate, sync, status, track_for, pause, resume,",
        "             report, restart, quarantine_retry",
        "  c-17       locate running at 2026-03-02T07:10:00.000Z",
      ])
    #expect(all(#""commands":{"done":0}"#).last == "commands     none since the start")
    #expect(!all(#""queue":{}"#).contains { $0.hasPrefix("commands") })
  }

  @Test("the last update, and nothing where there was none or all is good")
  func lastUpdate() {
    let update = """
      "update":{"state":"rolled_back","version":"0.3.0","reason":"it does not answer","group":"canary"}
      """
    #expect(all(update).contains("update       0.3.0 rolled back: it does not answer, group canary"))
    #expect(
      all(#""update":{"state":"trial","version":"0.3.0","group":"stable"}"#)
        .contains("update       0.3.0 trial, group stable"))
    for other in [#""queue":{}"#, #""update":{"state":"good","version":"0.3.0","group":"stable"}"#] {
      #expect(!all(other).contains { $0.hasPrefix("update") })
    }
  }

  @Test("settings from afar: what is in force, refused, off, waiting or not saved, in 80 columns")
  func fromAfar() {
    let config = """
      "config":{"desired":9,"in_force":7,"trial_left_s":59,"refused":9,"refused_because":"motion.stop_timeout_s: \
      must be a number (10 to 7200 s), not text","off_because":"b","not_saved_because":"c","waits":10,
        "waits_until":"2026-03-02T07:10:00.000Z","ignored":3}
      """
    let lines = all(config)
    let begin = lines.firstIndex { $0.hasPrefix("from afar") } ?? 0
    #expect(
      lines[begin...] == [
        "from afar    settings of version 7 in force, on trial for 59 s more, 3 offers",
        "             passed over since the start",
        "  NOT SAVED  c",
        "  off        version 9: b",
        "  refused    version 9: motion.stop_timeout_s: must be a number (10 to 7200 s),",
        "             not text",
        "  waits      version 10, until 2026-03-02T07:10:00.000Z: too many came within an",
        "             hour",
      ])
    #expect(
      all(#""config":{"refused_because":"config is no object","ignored":1}"#).suffix(2) == [
        "from afar    no settings in force, 1 offer passed over since the start",
        "  refused    what had no version: config is no object",
      ])
    #expect(!all(#""queue":{}"#).contains { $0.hasPrefix("from afar") })
  }

  @Test("identity: where two boxes have spoken with one, and nothing where they have not")
  func identity() {
    let lines = all(
      #""queue":{"id_changes":2,"id_changed":"2026-03-02T07:10:00.000Z"},"warnings":{"identity_conflict":{"count":1,"last":"2026-03-02T07:09:00.000Z"}}"#
    )
    let begin = lines.firstIndex { $0.hasPrefix("identity") } ?? 0
    #expect(
      lines[begin...].prefix(4) == [
        "identity     the queue began another id 2 times, last 2026-03-02T07:10:00.000Z;",
        "             the server had records of another box under this one's once, last",
        "             2026-03-02T07:09:00.000Z",
        "warning      identity_conflict: 1 time, last 2026-03-02T07:09:00.000Z",
      ])
    #expect(!all(#""queue":{"id_changes":0}"#).contains { $0.hasPrefix("identity") })
  }
}
