/// What is allowed, and most likely not meant: `godwit check` says so.
extension Settings {
  public var notes: [String] {
    Schedule.notes(on: schedule) + gpsNotes + motionNotes + lineNotes + supplyNotes + sleepNotes
      + servers.flatMap { name, sync in sync.notes.map { OtherServer.label(name) + $0 } }
  }

  /// Lines that are named, and that nobody would ever use.
  private var lineNotes: [String] {
    let power = gps.power
    var notes: [String] = []
    if power.mode == .none, !(power.line + power.statusLine + power.command.joined()).isEmpty {
      notes.append(
        "gps.power names what switches the GPS, but gps.power.mode is \"none\": the agent takes it as always on; set the mode"
      )
    }
    notes += headerLines.compactMap { key, line in
      HeaderPins.doubt(line).map { "\(key) = \(SettingText.quoted(line)) \($0)" }
    }
    for (line, input) in inputLines where !input.chip.isEmpty && !input.exists {
      let name = line.rawValue
      notes.append("\(name).chip is set and \(name).line is not: that line is not watched; set \(name).line")
    }
    return notes
  }

  /// Those of the 40 pins, with their keys.
  private var headerLines: [(key: String, line: String)] {
    let power = [("gps.power.line", gps.power.chip, gps.power.line)]
    let status = [("gps.power.status_line", gps.power.chip, gps.power.statusLine)]
    let inputs = inputLines.map { ("\($0.rawValue).line", $1.chip, $1.line) }
    return (power + status + inputs).filter { HeaderPins.areOf(chip: $0.1) }.map { ($0.0, $0.2) }
  }

  private var gpsNotes: [String] {
    guard gps.unknownAccuracy_m > gps.maxAccuracy_m else { return [] }
    let (assumed, most) = (SettingText.number(gps.unknownAccuracy_m), SettingText.number(gps.maxAccuracy_m))
    return [
      "gps.unknown_accuracy_m (\(assumed)) is above gps.max_accuracy_m (\(most)): a receiver that gives no accuracy makes no track"
    ]
  }

  private var supplyNotes: [String] {
    if battery.exists {
      return battery.hysteresis_v < battery.low_v
        ? []
        : [
          "battery.hysteresis_v is as much as battery.low_v: a battery that was low once stays so for ever, since it is added to low_v; usual is 0.4"
        ]
    }
    return [("lost_below_v", battery.lostBelow_v), ("charging_above_v", battery.chargingAbove_v)]
      .filter { $0.1 > 0 }.map { "battery.\($0.0) has no meaning without battery.voltage_file" }
  }

  /// What keeps the board awake for ever, or puts it to sleep while it is used, in words.
  private var sleepNotes: [String] {
    guard host.sleep.isOn else { return [] }
    var notes: [String] = []
    if schedule.isEmpty, !host.sleep.wire {
      notes.append(
        "the board never sleeps: without a schedule no window closes, and host.sleep.wire is false")
    } else if schedule.isEmpty, host.sleep.wakeEvery_s == 0 {
      notes.append(
        "the board never sleeps: without a schedule there is no time to wake at: set host.sleep.wake_every_s")
    }
    if host.sleep.wire, !ignition.input.exists {
      notes.append(
        "host.sleep.wire without [ignition]: the agent does not see the wire that starts the board, and lets it sleep again while the engine runs"
      )
    }
    let splay_s = servers.map(\.sync.splay_s).max() ?? 0
    if host.sleep.drain_s > 0, splay_s > host.sleep.drain_s {
      notes.append(
        "sync.splay_s is longer than host.sleep.drain_s: the board may sleep before it has sent what a window brought"
      )
    }
    return notes
  }

  private var motionNotes: [String] {
    motion.mode == .full || motion.gpsOffWhenParked
      ? []
      : ["motion.gps_off_when_parked = false has no meaning with motion.mode = \"\(motion.mode.rawValue)\""]
  }
}

extension SyncSettings {
  fileprivate var notes: [String] {
    guard let server = try? ServerURL(url) else { return [] }
    var notes: [String] = []
    if allowPlaintext, !server.isEncrypted, !server.isLoopback {
      notes.append(
        "sync.allow_plaintext is true: over \(server.scheme.rawValue):// anyone on the way reads the token and every position, and can steer this device"
      )
    }
    return notes + (server.isMQTT ? brokerNotes(server) : httpNotes(server))
  }

  /// Where a broker may lose what it has acknowledged.
  private func brokerNotes(_ broker: ServerURL) -> [String] {
    var notes: [String] = []
    if broker.topicPieces.count == 1, format == .geomony || format == .compact {
      notes.append(
        "sync.url has no {device} in its topic, and nothing else in a message of \"\(format.rawValue)\" names the device: put /{device}/ into it"
      )
    }
    if mqttVersion == .v3_1_1, ack != .strict {
      notes.append(
        "sync.mqtt_version is \"3.1.1\": a broker may acknowledge what it throws away, such as a message over its size limit; so a message has at most \(counted(smallBatchSize, "record")) (sync.mqtt_3_1_1_batch_size); use \"5\" if the broker knows it"
      )
    }
    if noSubscriber == .accept {
      notes.append(
        "sync.no_subscriber is \"accept\": a broker that stores nothing itself, such as mosquitto, loses what comes while no client subscribes"
      )
    }
    return notes
  }

  private func httpNotes(_ server: ServerURL) -> [String] {
    var notes: [String] = []
    let path = url.dropFirst(server.scheme.rawValue.count + 3).drop { !"/?#".contains($0) }.lowercased()
    // Servers of formats whose servers name what they stored have an address of their own for records.
    if format.traits.namesStored, path.isEmpty || path == "/" || path.hasPrefix("?") {
      notes.append(
        "sync.url ends with the host, so records go to its front page: the collector takes them at /v1/locations; add your server's path"
      )
    }
    // No reply could ever count.
    if !format.traits.namesStored, ack == .auto, server.scheme == .http {
      notes.append(
        "sync.format \"\(format.rawValue)\" over plain http:// delivers nothing, since its servers never name the records that they stored: use https://, or set sync.ack = \"any\", which believes whoever answers"
      )
    }
    // A server that gets another format than it expects may answer 200 and store nothing.
    let others = ["owntracks", "overland", "traccar"].filter { path.contains($0) && $0 != format.rawValue }
    if let other = others.first, !path.contains(format.rawValue) {
      notes.append(
        "sync.url is an address for \(other), and sync.format is \"\(format.rawValue)\": a server may answer 200 to a format that it does not know, and store nothing"
      )
    }
    return notes
  }
}
