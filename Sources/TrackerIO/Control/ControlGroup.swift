import Glibc

/// Who may command the agent without being root: the system's group `godwit`, where somebody has made it.
public enum ControlGroup {
  static let name = "godwit"

  /// From `/etc/group` alone: a name service that is away would hold the agent up.
  public static func onThisSystem() -> gid_t? {
    (try? OutsideFile.read("/etc/group", limit_bytes: 1 << 20)).flatMap(id)
  }

  /// - Parameter file: as group(5) says, `name:password:number:members` in each line.
  static func id(in file: [UInt8]) -> gid_t? {
    for line in file.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count >= 3, fields[0].elementsEqual(name.utf8) else { continue }
      return gid_t(String(decoding: fields[2], as: UTF8.self)).flatMap { $0 == gid_t.max ? nil : $0 }
    }
    return nil
  }
}
