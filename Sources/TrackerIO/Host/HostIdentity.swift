import Glibc
import TrackerBase

/// By what a queue notices that it runs in another box than before. Each part is nil where it is not known: no such
/// hardware, no right to read it, or nothing in it.
public struct HostIdentity: Equatable, Sendable {
  /// Of the operating system.
  public var machineID: String?
  /// The board's serial number.
  public var board: String?
  /// That of the card or disk that holds the queue.
  public var card: String?

  public init(machineID: String? = nil, board: String? = nil, card: String? = nil) {
    (self.machineID, self.board, self.card) = (machineID, board, card)
  }

  /// - Parameters:
  ///   - queuePath: of the queue file.
  ///   - root: before the paths of all that is read.
  public static func read(queuePath: String, root: String = "") -> HostIdentity {
    HostIdentity(
      machineID: HostClock.machineID(root: root), board: board(root), card: card(of: queuePath, root))
  }

  // MARK: Board

  /// The device tree's, as on all Raspberry Pis; that of older kernels; SMBIOS, which only root may read.
  private static func board(_ root: String) -> String? {
    known(line(root + "/proc/device-tree/serial-number")) ?? known(cpuinfo(root))
      ?? known(line(root + "/sys/class/dmi/id/product_uuid"))
  }

  /// `Serial		: 10000000deadbeef`, Raspberry Pi kernels' line of old.
  private static func cpuinfo(_ root: String) -> String? {
    guard let bytes = try? OutsideFile.read(root + "/proc/cpuinfo", limit_bytes: 1 << 20) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let words = lines.last { $0.hasPrefix("Serial") }?.split(separator: ":")
    guard let words, words.count == 2 else { return nil }
    return words[1].split { $0 == " " || $0 == "\t" }.first.map { String($0) }
  }

  // MARK: Card

  /// An SD card's or eMMC's cid, an NVMe disk's serial number. A file system of none or of several devices has none.
  private static func card(of queuePath: String, _ root: String) -> String? {
    var info = stat()
    guard stat(FolderEntry.folder(of: queuePath), &info) == 0 else { return nil }
    let (major, minor) = (
      info.st_dev >> 8 & 0xFFF | info.st_dev >> 32 & ~0xFFF, info.st_dev & 0xFF | info.st_dev >> 12 & ~0xFF
    )
    return card(ofDevice: "\(major):\(minor)", root)
  }

  /// - Parameter device: major and minor number, of a disk or of a partition, which lies in its disk's folder.
  static func card(ofDevice device: String, _ root: String) -> String? {
    let folder = "\(root)/sys/dev/block/\(device)"
    for disk in [folder, folder + "/.."] {
      let card = known(line(disk + "/device/cid")) ?? known(line(disk + "/device/serial"))
      if let card { return card }
    }
    return nil
  }

  // MARK: Network

  /// Of the first interface by name that is hardware and has the address from its maker, not by chance or by setting:
  /// one that somebody has chosen (IEEE 802, the second bit) may be that of other boxes too.
  public static func hardwareAddress(root: String = "") -> String? {
    let net = root + "/sys/class/net"
    let names = FolderEntry.all(in: net).map(\.name).filter { !$0.hasPrefix(".") }.sorted()
    for folder in names.map({ "\(net)/\($0)" }) {
      guard access(folder + "/device", F_OK) == 0, line(folder + "/addr_assign_type") == "0",
        let address = known(line(folder + "/address")), address.utf8.count == 17,
        let first = UInt8(address.prefix(2), radix: 16), first & 0x02 == 0
      else { continue }
      return address
    }
    return nil
  }

  // MARK: Parts

  /// Nil for what a maker has left empty: it says nothing.
  private static func known(_ text: String?) -> String? {
    guard let text, text.contains(where: { !"0fF-:".contains($0) }) else { return nil }
    return text
  }

  private static func line(_ path: String) -> String? {
    guard let bytes = try? OutsideFile.read(path, limit_bytes: 4096) else { return nil }
    let words = bytes.split { $0 <= 0x20 }
    return words.isEmpty ? nil : words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }
}
