/// What is allowed, and most likely not meant: `godwit check` says so.
extension Settings {
  public var notes: [String] {
    Schedule.notes(on: schedule) + motionNotes + supplyNotes + sleepNotes
      + servers.flatMap { name, sync in sync.notes.map { OtherServer.label(name) + $0 } }
  }

  private var supplyNotes: [String] {
    if battery.exists { return [] }
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
  fileprivate var notes: [String] { plaintextNotes + acknowledgementNotes }

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
