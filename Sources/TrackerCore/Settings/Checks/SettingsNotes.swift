/// What is allowed, and most likely not meant: `godwit check` says so.
extension Settings {
  public var notes: [String] {
    Schedule.notes(on: schedule) + motionNotes + lineNotes + supplyNotes + sleepNotes
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
    for (line, input) in inputLines where !input.chip.isEmpty && !input.exists {
      let name = line.rawValue
      notes.append("\(name).chip is set and \(name).line is not: that line is not watched; set \(name).line")
    }
    return notes
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

  private var motionNotes: [String] {
    motion.mode == .full || motion.gpsOffWhenParked
      ? []
      : ["motion.gps_off_when_parked = false has no meaning with motion.mode = \"\(motion.mode.rawValue)\""]
  }
}

extension SyncSettings {
  fileprivate var notes: [String] { plaintextNotes + acknowledgementNotes + brokerNotes }

  /// Where a broker may lose what it has acknowledged.
  private var brokerNotes: [String] {
    guard let url = try? ServerURL(url), url.isMQTT else { return [] }
    var notes: [String] = []
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

  private var plaintextNotes: [String] {
    guard allowPlaintext, let url = try? ServerURL(self.url), !url.isEncrypted, !url.isLoopback else {
      return []
    }
    return [
      "sync.allow_plaintext is true: over \(url.scheme.rawValue):// anyone on the way reads the token and every position, and can steer this device"
    ]
  }

  private var acknowledgementNotes: [String] {
    canBeAcknowledged
      ? []
      : [
        "sync.format \"\(format.rawValue)\" over plain http:// delivers nothing, since its servers never name the records that they stored: use https://, or set sync.ack = \"any\", which believes whoever answers"
      ]
  }

  /// False where no reply could ever count.
  private var canBeAcknowledged: Bool {
    guard ack == .auto, !format.traits.namesStored, let url = try? ServerURL(url) else { return true }
    return url.scheme != .http
  }
}
