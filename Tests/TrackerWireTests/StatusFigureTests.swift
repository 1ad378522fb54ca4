import Testing
import TrackerWire

@testable import TrackerBase

/// Each figure is declared once, and everything else follows.
@Suite("The figures of the status")
struct StatusFigureTests {
  @Test("each property has one, under a key of its own")
  func declared() { expectAllDeclared(in: TrackerStatus()) }

  private func expectAllDeclared(in group: any StatusGroup) {
    // A name is a key, not a figure.
    for child in Mirror(reflecting: group).children where child.label != "name" {
      let isDeclared = child.value is any AnyFigure || child.value is any AnyFigureGroup
      #expect(isDeclared || child.value is any StatusGroup, "\(type(of: group)).\(child.label ?? "?")")
    }
    let keys = group.nodes.map(\.key)
    #expect(Set(keys).count == keys.count, "\(type(of: group)) has a key twice: \(keys)")
    for case .group(let inner) in group.nodes { expectAllDeclared(in: inner.blank) }
  }

  @Test("the sample holds each of them")
  func sample() { expectNothingAbsent(in: StatusSamples.full, "") }

  private func expectNothingAbsent(in group: any StatusGroup, _ path: String) {
    for node in group.nodes {
      switch node {
      case .figure(let figure):
        #expect(figure.content != nil, "set \(path)\(figure.key) in StatusSamples.full")
      // Of other servers `sync` says it all.
      case .group(let inner) where inner.key == "also": #expect(!inner.members.isEmpty)
      case .group(let inner):
        #expect(!inner.members.isEmpty, "set \(path)\(inner.key) in StatusSamples.full")
        if let first = inner.members.first { expectNothingAbsent(in: first, "\(path)\(inner.key).") }
      }
    }
  }

  @Test("all of them, as the text has always been")
  func full() {
    #expect(StatusDocument.json(StatusSamples.full, identity: StatusSamples.identity) == Self.fullText)
  }

  @Test("and what is left of them where there is nothing to say")
  func empty() {
    #expect(StatusDocument.json(TrackerStatus(), identity: StatusSamples.identity) == Self.emptyText)
  }

  private static let fullText = #"""
    {"schema":"godwit-status/1","time":"2026-03-02T08:51:27.123Z","device":"van \"7\"","device_source":"random",\#
    "version":"1.2.3","settings":"0f","boot_id":"b","uptime_s":86401,"board_uptime_s":86460,\#
    "starts":{"boots":21,"restarts":22,"crashes":23},"clock":"gps","clock_source":"gps","clock_offset_s":-0.25,\#
    "host":{"temperature_c":51.2,"throttled":false,"throttled_since_boot":true,\#
    "undervoltage_since_boot":true,"disk_free_bytes":1234567890,"card_life_used":30,\#
    "card_spare":"warning","rtc":true,"rtc_set_clock":true,"rtc_offset_s":-3,"clock_error_s":0.0125},\#
    "undervoltage":true,"external_power":false,\#
    "battery":{"volts":11.8,"low":true,"factor":4.0},"motion":"moving","activity":"driving",\#
    "activity_confidence":90,"motion_cells":4,"motion_cells_state":"told","no_track_because":"no_sky",\#
    "no_track_since":"2026-03-02T08:43:20.000Z","safe_mode":{"crashes":5,"left_s":3000},\#
    "sleep":{"state":"asleep","held_by":"person","because":"window_closed",\#
    "until":"2026-03-02T16:46:40.000Z","woken_by":"alarm","woken":"2026-03-02T08:28:20.000Z","slept_s":36001,"lead_s":66},\#
    "intent":{"kind":"pause","until":"2026-03-02T09:04:47.000Z","left_s":7200,"saved":false,\#
    "then":{"kind":"track","until":"2026-03-02T09:50:00.000Z","left_s":60}},"window":{"open":true,\#
    "next_change":"2026-03-02T08:26:40.000Z"},"lines":{"ignition":true,"vibration_edges":31,\#
    "bounces":32,"storms":33,"accelerometer":"tells","acceleration_signs":34,"acceleration_threshold_mps2":0.75},"trip":{"id":3,"distance_m":1200.0,"ended":41,"odometer_m":98766.0,\#
    "noticed_by":"cell","noticed_within_s":48},\#
    "geofences":{"count":52,"expired":1,"events":9,"inside_count":51,"inside":["f1","f2","f3","f4","f5",\#
    "f6","f7","f8","f9","f10","f11","f12","f13","f14","f15","f16","f17","f18","f19","f20","f21","f22",\#
    "f23","f24","f25","f26","f27","f28","f29","f30","f31","f32","f33","f34","f35","f36","f37","f38",\#
    "f39","f40","f41","f42","f43","f44","f45","f46","f47","f48","f49","f50"]},"gps":{"powered":true,\#
    "on_s":3601,"on_today_s":1802,"device":"/dev/ttyAMA0","gpsd_devices":["/dev/ttyAMA0","/dev/ttyUSB1"],"device_changes":13,"reports_of_others":14,\#
    "dynamic_model":"other_driver","sessions":12,"sessions_today":4,"time_to_first_fix_s":2.5,\#
    "time_to_first_fix_after":{"under_2_h":2.5,"longer":31.5},"satellites":9,\#
    "satellites_heard":11,"cn0_dbhz":43.3,"health":{"cn0_dbhz":42.5,"loss_db":1.5,"start_ratio":1.25},\#
    "last_fix":"2026-03-02T07:04:46.000Z","last_fix_ago_s":5,"fix_delay_s":2,"fixes":101,"kept":102,"reports_without_fix":103,\#
    "held_until_settled":104,"merged_reports":105,"accuracy_assumed":109,"speeds_refused":106,"probes":107,\#
    "probes_unanswered":108,"rejected":{"accuracy":7,"stale":1}},"queue":{"records":201,"oldest_ago_s":205,\#
    "quarantined":206,"ledger":{"quota_positions":207,"other":1},"in_memory":202,\#
    "dropped_from_memory":203,"storage":"failed","id_changes":204,\#
    "id_changed":"2026-03-02T07:03:20.000Z"},"sync":{"state":"backing_off","failures":4,\#
    "next_attempt_s":12,"last_reply":"503","mqtt_version":"3.1.1","acknowledged_by":"certificate","problem":"busy","problem_for_s":40,\#
    "last_delivery_ago_s":70,"interface":"wwan0","requests":301,"delivered":302,"replies_cut":305,"bytes_up":303,"bytes_down":304,\#
    "today_up_bytes":305,"today_down_bytes":306,"month_up_bytes":307,"month_down_bytes":308,\#
    "budget":{"sends":"events","day_bytes":900,"day_limit_bytes":1000,"month_bytes":1,\#
    "month_limit_bytes":2},"roaming_budget":{"sends":"none","day_bytes":50,"day_limit_bytes":51,\#
    "month_bytes":52,"month_limit_bytes":53}},"traffic":{"today_up_bytes":{"records":311,"records_with_status":312,\#
    "failed":313},"today_down_bytes":{"connecting":321},"month_up_bytes":{"status":331},\#
    "month_down_bytes":{"records":341}},"link":{"registration":"roaming","operator":"Elsewhere",\#
    "technology":"lte","signal":61,"signal_dbm":-101.5,"roaming":true},\#
    "energy":{"today_mah":{"gps":31.5,"board":1200.0},"forecast_mah":{"modem":800.5}},"also":[{"name":"second","records":7,"oldest_ago_s":8,\#
    "quarantined":9,"sync":{"state":"idle","failures":0,\#
    "last_reply":"","problem":"no_subscriber","problem_for_s":0,"requests":6,"delivered":0,"bytes_up":0,\#
    "bytes_down":0}}],"update":{"state":"rolled_back","version":"0.3.0+deb12u1",\#
    "reason":"it does not answer","group":"canary"},"config":{"desired":9,"in_force":8,"trial_left_s":402,\#
    "trial_until":"2026-03-02T08:58:09.000Z","trial_waits_for":"the byte budget","refused":9,\#
    "refused_because":"schedule: rule 1 is malformed",\#
    "off_because":"motion.mode: needs an ignition line","not_saved_because":"disk full","waits":10,"waits_until":"2026-03-02T08:58:10.000Z","ignored":401},\#
    "commands":{"done":61,"refused":62,"failed":63,"expired":64,"repeated":65,\#
    "passed_over":66,"topic_today_bytes":67,"topic_cut_off":68,"topic_rests":true,\#
    "results":[{"id":"c-1","command":"report","result":"done","why":"so",\#
    "at":"2026-03-02T07:03:20.000Z","report":["one","two"]}]},\#
    "warnings":{"sync_failed":{"count":2,"last":"2026-03-02T07:03:20.000Z",\#
    "since":"2026-03-02T06:46:40.000Z","until":"2026-03-02T07:03:21.000Z"},"towed":{"count":1,\#
    "last":"2026-03-02T07:03:20.000Z"}}}
    """#

  private static let emptyText = #"""
    {"schema":"godwit-status/1","time":"1970-01-01T00:00:00.000Z","device":"van \"7\"","device_source":"random",\#
    "version":"1.2.3","settings":"0f","boot_id":"b","uptime_s":0,"board_uptime_s":0,\#
    "starts":{"boots":0,"restarts":0,"crashes":0},"clock":"untrusted","clock_source":"none","host":{},"motion":"unknown",\#
    "window":{"open":false},"trip":{"ended":0,"odometer_m":0.0},"geofences":{"count":0,"expired":0,\#
    "events":0,"inside_count":0,"inside":[]},"gps":{"powered":false,"on_s":0,"on_today_s":0,"device_changes":0,\#
    "reports_of_others":0,"sessions":0,"sessions_today":0,"fixes":0,"kept":0,"reports_without_fix":0,\#
    "held_until_settled":0,"merged_reports":0,"speeds_refused":0,"probes":0,"probes_unanswered":0,\#
    "rejected":{}},"queue":{"records":0,"in_memory":0,"dropped_from_memory":0,"storage":"ok",\#
    "id_changes":0},\#
    "sync":{"state":"idle","failures":0,"last_reply":"","requests":0,"delivered":0,"bytes_up":0,\#
    "bytes_down":0},"traffic":{},"warnings":{}}
    """#
}

extension StatusNode {
  fileprivate var key: String {
    switch self {
    case .figure(let figure): figure.key
    case .group(let group): group.key
    }
  }
}
