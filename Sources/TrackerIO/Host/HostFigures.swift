import Glibc
import TrackerBase

/// What the kernel shows of the board, for the status: small files that are read when somebody looks, and no program is
/// run. Where a file is missing or makes no sense its figure is absent.
public struct HostFigures {
  /// In place of `/sys`.
  private let sys: String
  /// A file or folder on the queue's file system.
  private let queuePath: String
  /// Where the updater says what became of the agent's package.
  private let updatePath: String

  public init(
    queuePath: String, sys: String = "/sys", updatePath: String = "/var/lib/godwit-update/status"
  ) {
    (self.queuePath, self.sys, self.updatePath) = (queuePath, sys, updatePath)
  }

  /// - Returns: nil before any update, and where there is no updater.
  public func update() -> UpdateStatus? {
    guard let bytes = try? OutsideFile.read(updatePath, limit_bytes: 4096) else { return nil }
    return UpdateStatus(String(decoding: bytes, as: UTF8.self))
  }

  public func read() -> HostStatus {
    var status = HostStatus()
    status.temperature_c = temperature_c
    if let bits = throttled {
      status.isThrottled = bits & Throttled.now != 0
      status.wasThrottled = bits & (Throttled.now << Throttled.sinceBoot) != 0
      status.hadUndervoltage = bits & (Throttled.undervoltage << Throttled.sinceBoot) != 0
    }
    status.diskFree_bytes = diskFree_bytes
    let cards = cards
    status.cardLifeUsed_percent = cards.compactMap(\.lifeUsed_percent).max()
    status.cardSpare = cards.compactMap(\.spare).max { HostFigures.rank($0) < HostFigures.rank($1) }
    let clocks = names(in: "class/rtc", with: "rtc")?.sorted()
    status.hasRTC = clocks.map { !$0.isEmpty }
    if let clocks, let first = clocks.first {
      let setting = clocks.first { text("class/rtc/\($0)/hctosys") == "1" }
      status.rtcSetClock = setting != nil
      status.rtcOffset_s = text("class/rtc/\(setting ?? first)/since_epoch").flatMap { Int64($0) }
        .map { $0 - HostClock.now().wall_ms / 1000 }
    }
    status.clockError_s = HostClock.maxError_s()
    return status
  }

  // MARK: Heat and supply

  /// A zone that is switched off says 0 or less than any board bears.
  private static let likely_c = -60.0...150.0

  private var temperature_c: Double? {
    (names(in: "class/thermal", with: "thermal_zone") ?? [])
      .compactMap { text("class/thermal/\($0)/temp") }
      .compactMap { Double($0) }.map { $0 / 1000 }
      .filter { HostFigures.likely_c.contains($0) && $0 != 0 }.max()
  }

  /// As `vcgencmd get_throttled` has them (Raspberry Pi documentation).
  private enum Throttled {
    static let undervoltage = 0x1
    /// Frequency capped, throttled, soft temperature limit.
    static let now = 0x2 | 0x4 | 0x8
    /// So many bits further up: at some time since the start.
    static let sinceBoot = 16
  }

  private var throttled: Int? {
    text("devices/platform/soc/soc:firmware/get_throttled").flatMap {
      Int($0.hasPrefix("0x") ? $0.dropFirst(2) : $0[...], radix: 16)
    }
  }

  // MARK: Storage

  private var diskFree_bytes: Int64? {
    var info = statvfs()
    let folder = FolderEntry.folder(of: queuePath)
    guard statvfs(folder, &info) == 0 else { return nil }
    return Int64(clamping: UInt64(info.f_bavail) * UInt64(info.f_frsize))
  }

  private struct Card {
    var lifeUsed_percent: Int?
    var spare: CardSpare?
  }

  /// eMMC tells, and few SD cards do. Where there are several, the worst counts.
  private var cards: [Card] {
    (names(in: "block", with: "mmcblk") ?? []).map { name in
      // For two kinds of memory: 0x01 is up to 10 % used, 0x0b is over its end, 0x00 does not tell.
      let steps = (text("block/\(name)/device/life_time") ?? "").split(separator: " ")
        .compactMap { HostFigures.hexadecimal($0) }.filter { (1...11).contains($0) }
      return Card(lifeUsed_percent: steps.max().map { min($0 * 10, 100) }, spare: spare(of: name))
    }
  }

  private func spare(of name: String) -> CardSpare? {
    switch text("block/\(name)/device/pre_eol_info").flatMap({ HostFigures.hexadecimal($0[...]) }) {
    case 1: .normal
    case 2: .warning
    case 3: .urgent
    default: nil
    }
  }

  private static func hexadecimal(_ word: Substring) -> Int? {
    word.hasPrefix("0x") ? Int(word.dropFirst(2), radix: 16) : nil
  }

  private static func rank(_ spare: CardSpare) -> Int {
    switch spare {
    case .normal: 0
    case .warning: 1
    case .urgent: 2
    }
  }

  // MARK: Files

  /// - Returns: nil where there is no such folder.
  private func names(in folder: String, with prefix: String) -> [String]? {
    let entries = FolderEntry.all(in: "\(sys)/\(folder)")
    return entries.isEmpty ? nil : entries.map(\.name).filter { $0.hasPrefix(prefix) }
  }

  /// The first line. An attribute in /sys is a page at most.
  private func text(_ path: String) -> String? {
    guard let bytes = try? OutsideFile.read("\(sys)/\(path)", limit_bytes: 4096) else { return nil }
    let line = bytes.prefix { $0 != 0 && $0 != 10 }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
