/// The power supply of the simulated module, and how long after it the first fix comes.
///
/// Counts in epochs of one simulated second. Without sky (the drive itself has no fix) the search does not
/// get on.
public struct ModulePower: Equatable, Sendable {
  /// What the module says in one epoch.
  public enum Output: Equatable, Sendable {
    /// No power.
    case silent
    /// Alive, without a position.
    case searching
    /// What the sky gives.
    case tracking
  }

  public private(set) var isOn = false
  private let coldStart_s: Int
  private let warmStart_s: Int
  private let warmWithin_s: Int
  private var epoch = 0
  private var lastOff: Int?
  private var searchLeft_s = 0

  /// - Parameters:
  ///   - coldStart_s: epochs without a fix after the first power-on, and after a long time off.
  ///   - warmStart_s: the same after a short time off.
  ///   - warmWithin_s: off for less than this is short: the orbits that a module has received are good for
  ///     2 to 4 hours.
  public init(coldStart_s: Int, warmStart_s: Int, warmWithin_s: Int = 7_200) {
    self.coldStart_s = coldStart_s
    self.warmStart_s = warmStart_s
    self.warmWithin_s = warmWithin_s
  }

  /// The power line was read. The same level again changes nothing.
  public mutating func lineRead(isOn level: Bool) {
    if level == isOn { return }
    isOn = level
    if !level {
      // Switched off in mid-search it has not learnt the orbits: the next start is no better.
      lastOff = searchLeft_s > 0 ? lastOff : epoch
      return
    }
    let isWarm = lastOff.map { epoch - $0 < warmWithin_s } ?? false
    searchLeft_s = isWarm ? warmStart_s : coldStart_s
  }

  /// One second of the world goes by. Returns what the module says in it.
  public mutating func epochPassed(hasSky: Bool) -> Output {
    epoch += 1
    if !isOn { return .silent }
    if searchLeft_s == 0 { return .tracking }
    if hasSky { searchLeft_s -= 1 }
    return .searching
  }
}
