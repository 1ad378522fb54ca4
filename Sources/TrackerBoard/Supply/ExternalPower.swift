import TrackerBase

/// Whether the vehicle's supply is connected: by a line, and by the battery's voltage while no line says it. On the
/// boot clock.
package struct ExternalPower: Equatable, Sendable {
  package enum Change: Equatable, Sendable {
    /// - Parameter isReported: servers know it, from before a restart or before nobody knew.
    case lost(isReported: Bool)
    case back
  }

  private var line: ExternalPowerSettings
  private var lostBelow_v: Double
  private var hysteresis_v: Double
  private var debouncer: LineDebouncer
  package private(set) var lineHasFailed = false
  /// As read last; nil while it cannot be read, and where none is watched.
  package private(set) var volts: Double?
  private var isThereByVoltage: Bool?
  /// As last judged; nil before, and while nobody knows.
  package private(set) var isThere: Bool?
  /// The last record of it says that the supply is lost. It outlives restarts: the return is reported all the same.
  private(set) var isReportedLost: Bool

  /// - Parameter wasReportedLost: as storage has it.
  init(line: ExternalPowerSettings, battery: BatterySettings, wasReportedLost: Bool) {
    (self.line, hysteresis_v) = (line, battery.hysteresis_v)
    lostBelow_v = battery.exists ? battery.lostBelow_v : 0
    debouncer = LineDebouncer(debounce_ms: Int64(line.debounce_ms))
    // Where nothing tells of the return any more, it is not waited for.
    isReportedLost = wasReportedLost && (line.input.exists || lostBelow_v > 0)
  }

  /// What the same line and the voltage have said goes on.
  mutating func adopt(line: ExternalPowerSettings, battery: BatterySettings) {
    let old = self
    self = ExternalPower(line: line, battery: battery, wasReportedLost: isReportedLost)
    if lostBelow_v > 0 { (volts, isThereByVoltage) = (old.volts, old.isThereByVoltage) }
    if line == old.line { (debouncer, lineHasFailed) = (old.debouncer, old.lineHasFailed) }
    isThere = judged
  }

  /// The line wins: it is there for this alone, and says it at once. The voltage is read now and then, and may be that
  /// of a battery of the board's own.
  private var judged: Bool? { isByLine ? debouncer.level : isThereByVoltage }

  /// Not by the voltage.
  package var isByLine: Bool { line.input.exists && !lineHasFailed }
  package var isLost: Bool { isThere == false }
  package var isStorm: Bool { debouncer.isStorm }
  package var bounces: Int { debouncer.bounces }
  package var storms: Int { debouncer.storms }
  package var hasLine: Bool { line.input.exists }
  package var deadline_ms: Int64? { debouncer.deadline_ms }

  // MARK: What is reported to it

  package mutating func edge(_ level: Bool, at now_ms: Int64) -> [Change] {
    lineHasFailed = false
    var changes: [Change?] = []
    for level in debouncer.edge(level, at: now_ms) { changes.append(judge(level)) }
    return changes.compactMap { $0 }
  }

  package mutating func tick(at now_ms: Int64) -> Change? { debouncer.tick(at: now_ms).flatMap { judge($0) } }

  /// After an edge. - Returns: whether it is to be reported that the line does not come to rest.
  package mutating func stormIsNews(at now_ms: Int64) -> Bool { debouncer.stormIsNews(at: now_ms) }

  /// The voltage decides from now on, if there is one.
  package mutating func lineFailed() -> Change? {
    debouncer.forget()
    lineHasFailed = true
    return judge(judged)
  }

  /// At once, without settling: nobody knows for how long the board has power of its own.
  package mutating func read(_ volts: Double) -> Change? {
    guard lostBelow_v > 0 else { return nil }
    self.volts = volts
    isThereByVoltage = volts >= lostBelow_v + (isThereByVoltage == false ? hysteresis_v : 0)
    return judge(judged)
  }

  /// What cannot be read is no lost supply.
  package mutating func voltageFailed() {
    (volts, isThereByVoltage) = (nil, nil)
    isThere = judged
  }

  private mutating func judge(_ now: Bool?) -> Change? {
    defer { isThere = now }
    switch now {
    case nil: return nil
    case true?:
      defer { isReportedLost = false }
      return isReportedLost ? .back : nil
    case false?:
      defer { isReportedLost = true }
      return isThere == false ? nil : .lost(isReported: isReportedLost)
    }
  }
}
