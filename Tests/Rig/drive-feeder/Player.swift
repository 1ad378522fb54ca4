import CFeeder
import DriveGenerator
import Glibc

/// What was played.
struct PlayCounts {
  var epochs = 0
  var sentWithFix = 0
  var sentWithoutFix = 0
  var silent = 0
  var lost = 0
  var droppedBytes = 0

  /// One line for the end of the play.
  var summary: String {
    "epochs \(epochs), sent with fix \(sentWithFix), sent without fix \(sentWithoutFix), silent \(silent), "
      + "lost unread \(lost), dropped bytes \(droppedBytes)"
  }
}

/// The one loop: the world's seconds, the power line, the reader of the serial line, and the stop signals.
struct Player {
  let terminal: PseudoTerminal
  let powerLine: PowerLine?
  let stopSignals: Int32
  let speed: Double
  let sentFile: (descriptor: Int32, path: String)?
  var power: ModulePower
  var upTo: UpTo?
  private(set) var counts = PlayCounts()
  private var next_ns: Int64 = 0

  init(
    terminal: PseudoTerminal, powerLine: PowerLine?, stopSignals: Int32, speed: Double,
    sentFile: (descriptor: Int32, path: String)?, power: ModulePower
  ) {
    self.terminal = terminal
    self.powerLine = powerLine
    self.stopSignals = stopSignals
    self.speed = speed
    self.sentFile = sentFile
    self.power = power
  }

  /// Reads the power line as it stands; without one the module is always on.
  mutating func readPower() throws {
    guard let powerLine else { return power.lineRead(isOn: true) }
    powerLine.clearEvents()
    if let level = try powerLine.level() { power.lineRead(isOn: level) }
  }

  /// Waits until the module has power. False if a stop signal came first.
  mutating func waitForPower() throws -> Bool {
    while !power.isOn {
      if try wait(until_ns: nil) { return false }
    }
    return true
  }

  /// Plays `programme` to its end or to a stop signal.
  mutating func play(_ programme: Programme) throws {
    next_ns = Player.now_ns
    var index = 0
    while let (epoch, shift_ms) = programme.epoch(index) {
      if try wait(until_ns: next_ns) { return }
      if try upTo?.allows(index) ?? true {
        try send(epoch, shift_ms: shift_ms)
        index += 1
      }
      next_ns += Int64(1_000_000_000 / speed)
      // After a long stall (a suspended machine) the play goes on from here instead of racing to catch up.
      next_ns = max(next_ns, Player.now_ns - 1_000_000_000)
    }
    if upTo != nil { while try !wait(until_ns: nil) {} }
    // Closing the master hangs up the line and throws away what the reader has not fetched yet.
    if terminal.isOpen { _ = try wait(until_ns: Player.now_ns + 1_000_000_000) }
  }

  /// Serves the descriptors until the monotonic time `until_ns` (nil: until something happens).
  /// Returns true once a stop signal has come.
  private mutating func wait(until_ns: Int64?) throws -> Bool {
    while true {
      // A closed device reports POLLHUP without end; the next second looks again.
      let master = terminal.isOpen ? terminal.master : -1
      var descriptors = [stopSignals, powerLine?.descriptor ?? -1, master]
        .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let ready = try checked("ppoll") { Player.poll(&descriptors, until_ns: until_ns) }
      if ready == 0 { return false }
      if descriptors[0].revents != 0 { return true }
      if descriptors[1].revents != 0 { try readPower() }
      if descriptors[2].revents != 0 { terminal.drain() }
      if until_ns == nil { return false }
    }
  }

  private static func poll(_ descriptors: inout [pollfd], until_ns: Int64?) -> Int32 {
    let left_ns = until_ns.map { max(0, $0 - now_ns) } ?? -1
    return feeder_poll(&descriptors, nfds_t(descriptors.count), left_ns)
  }

  private mutating func send(_ epoch: PlayedEpoch, shift_ms: Int64) throws {
    counts.epochs += 1
    let output = power.epochPassed(hasSky: epoch.fix != nil)
    let bytes: [UInt8]
    switch output {
    case .silent: bytes = []
    case .searching: bytes = epoch.bytes(withFix: false, shift_ms: shift_ms)
    case .tracking: bytes = epoch.bytes(withFix: true, shift_ms: shift_ms)
    }
    if bytes.isEmpty {
      counts.silent += 1
      return
    }
    let taken = terminal.write(bytes)
    counts.droppedBytes += bytes.count - taken
    if taken < bytes.count {
      counts.lost += 1
    } else if output == .tracking, let fix = epoch.fix {
      counts.sentWithFix += 1
      try log(fix, time_ms: epoch.time_ms.map { $0 + shift_ms })
    } else {
      counts.sentWithoutFix += 1
    }
  }

  private func log(_ fix: TrackPosition, time_ms: Int64?) throws {
    guard let sentFile else { return }
    let time = time_ms.map(String.init) ?? "null"
    let line = "{\"time_ms\":\(time),\"lat\":\(fix.latitude_deg),\"lon\":\(fix.longitude_deg)}\n"
    try OutputFile.append(line, to: sentFile.descriptor, path: sentFile.path)
  }

  private static var now_ns: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
