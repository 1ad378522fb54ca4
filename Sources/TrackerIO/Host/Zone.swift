import Glibc
import TrackerBase

/// A zone of the system's tz database, read from its file alone: libc would open files by itself, unchecked.
///
/// A plain value: a query costs a bisection. Make a new one to see zone data that was replaced. It knows the years from
/// 2000 to 2069; before and after them the nearest known offset holds.
public struct SystemZone: ZoneRules, Equatable {
  /// The IANA name; for the system's own zone what `/etc/localtime` points to, or empty when it does not say.
  public let name: String
  private let table: TransitionZone

  /// - Parameter name: an IANA name such as "Europe/Zurich"; empty for the system's zone.
  public init(_ name: String = "") throws(ZoneError) {
    let directory = environment("TZDIR") ?? ""
    try self.init(
      name, directory: directory.isEmpty ? "/usr/share/zoneinfo" : directory, system: environment("TZ"))
  }

  /// - Parameter system: what `TZ` says, for the system's zone.
  init(_ name: String, directory: String, system: String?) throws(ZoneError) {
    (self.name, table) =
      name.isEmpty
      ? try systemZone(system, directory: directory) : (name, try readZoneFile(name, directory: directory))
  }

  /// As it was kept, see `SavedZone`.
  init(name: String, table: TransitionZone) { (self.name, self.table) = (name, table) }

  var transitions: (initial_s: Int, changes: [TransitionZone.Transition]) { table.contents }

  public func offset_s(at unix_s: Int64) -> Int { table.offset_s(at: unix_s) }
  public func nextTransition(after unix_s: Int64) -> Int64? { table.nextTransition(after: unix_s) }
}

/// Why there is no such zone. libc itself would say nothing and answer in UTC.
public enum ZoneError: Error, Equatable, CustomStringConvertible {
  /// Not of the form of an IANA name.
  case malformedName(String)
  case unreadable(name: String, directory: String, call: String, code: Int32)
  /// The database has no such name. - Parameter meant: the name that was probably meant.
  case unknown(name: String, directory: String, meant: String?)
  /// - Parameter reason: as it stands after "the file".
  case notZoneData(name: String, directory: String, reason: String)
  /// Something else than a file stands where the zone's data are looked for.
  case notAFile(OutsideFileError)

  /// There is no file of that name.
  public var isMissing: Bool {
    switch self {
    case .unknown, .unreadable(_, _, _, ENOENT): true
    case .malformedName, .unreadable, .notZoneData, .notAFile: false
    }
  }

  public var description: String {
    switch self {
    case .malformedName(let name):
      "timezone \"\(name)\" is not an IANA name such as \"Europe/Zurich\""
    case .notZoneData("", _, let reason):
      "the system's zone: /etc/localtime \(reason): install tzdata anew, or set timezone"
    case .unreadable("", _, let call, let code):
      "the system's zone: \(call) of /etc/localtime: \(words(of: code)) (\(code)): install tzdata, or set timezone"
    case .unknown(let name, let directory, let meant?):
      "timezone \"\(name)\" is not in \(directory); did you mean \"\(meant)\"?"
    case .unknown(let name, let directory, nil):
      "timezone \"\(name)\" is not in \(directory): write an IANA name such as \"Europe/Zurich\""
        + " (timedatectl list-timezones); an old name such as \"US/Mountain\" needs tzdata-legacy"
    case .unreadable(let name, let directory, let call, let code):
      "timezone \"\(name)\": \(call) in \(directory): \(words(of: code)) (\(code))"
    case .notZoneData(let name, let directory, let reason):
      "timezone \"\(name)\": the file of that name in \(directory) \(reason)"
    case .notAFile(let error): "timezone: \(error)"
    }
  }
}

private func environment(_ key: String) -> String? {
  getenv(key).map { String(cString: $0) }
}

private func words(of code: Int32) -> String {
  guard let words = strerror(code) else { return "unknown error" }
  return String(cString: words)
}

private let utc = TransitionZone(initial_s: 0, transitions: [])

/// The zone that libc takes by itself.
private func systemZone(
  _ system: String?, directory: String
) throws(ZoneError) -> (name: String, table: TransitionZone) {
  guard let system else { return try localtime(directory) }
  // tzset(3): set but empty means UTC.
  if system.isEmpty { return ("UTC", utc) }
  let zone = system.hasPrefix(":") ? String(system.dropFirst()) : system
  if let rule = ZoneRule(zone) { return (zone, TZif(rule: rule).table) }
  if zone.hasPrefix("/") { return (zone, try readZoneData(at: zone, name: zone, directory: "TZ")) }
  return (zone, try readZoneFile(zone, directory: directory))
}

/// localtime(5): without that file UTC holds. One that is there and cannot be read is another matter.
private func localtime(_ directory: String) throws(ZoneError) -> (name: String, table: TransitionZone) {
  var info = stat()
  if lstat(localtimePath, &info) != 0, errno == ENOENT { return ("UTC", utc) }
  let name = localtimeName()
  do throws(ZoneError) { return (name, try readZoneData(at: localtimePath, name: "", directory: "")) } catch {
    // It may point to an old name.
    guard error.isMissing, !name.isEmpty, let table = try? readZoneFile(name, directory: directory) else {
      throw error
    }
    return (name, table)
  }
}

private let localtimePath = "/etc/localtime"

/// Where `/etc/localtime` points to, inside the tz database.
private func localtimeName() -> String {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let length = readlink(localtimePath, &buffer, buffer.count)
  guard length > 0 else { return "" }
  let target = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  let parts = target.split(separator: "/")
  guard let root = parts.lastIndex(of: "zoneinfo") else { return "" }
  return parts[(root + 1)...].joined(separator: "/")
}

private func readZoneFile(_ name: String, directory: String) throws(ZoneError) -> TransitionZone {
  let parts = name.split(separator: "/", omittingEmptySubsequences: false)
  let isPlain = name.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "/"):
      true
    default: false
    }
  }
  // No dots and no empty part, so no way out of the directory. right/ counts leap seconds, Unix time does not.
  guard isPlain, name.utf8.count < 256, !parts.contains(""), parts.first != "right" else {
    throw .malformedName(name)
  }
  do throws(ZoneError) {
    return try readZoneData(at: "\(directory)/\(name)", name: name, directory: directory)
  } catch {
    guard error.isMissing else { throw error }
    guard let target = linkTarget(of: name, directory: directory) else {
      throw .unknown(name: name, directory: directory, meant: zoneMeant(by: name, directory: directory))
    }
    return try readZoneData(at: "\(directory)/\(target)", name: name, directory: directory)
  }
}

/// Debian has old names such as US/Mountain in a package of their own, tzdata-legacy. The text of the database, which
/// zic(8) explains, names their zones all the same: `L America/Denver US/Mountain`.
private func linkTarget(of name: String, directory: String) -> String? {
  databaseLines("L", directory: directory).first {
    $0.count == 3 && $0[2] == name && !$0[1].split(separator: "/").contains("..")
  }?[1]
}

/// The zone whose city is most like that of an unknown name: "Denver" and "America/Dever" are America/Denver.
private func zoneMeant(by name: String, directory: String) -> String? {
  func city(_ name: String) -> String { name.split(separator: "/").last.map { String($0) } ?? "" }
  let zones =
    databaseLines("Z", directory: directory).compactMap { $0.count > 1 ? $0[1] : nil }
    + databaseLines("L", directory: directory).compactMap { $0.count == 3 ? $0[2] : nil }
  // Etc/GMT+2 is two hours behind GMT, which is not what a name such as GMT+2 means.
  let places = zones.filter { $0.contains("/") && !$0.hasPrefix("Etc/") }
  let meant = SettingNames.nearest(to: city(name), among: places.map(city))
  return places.first { city($0) == meant }
}

/// The words of each line of tzdata.zi that begins so.
private func databaseLines(_ kind: String, directory: String) -> [[String]] {
  let bytes = (try? OutsideFile.read("\(directory)/tzdata.zi", limit_bytes: 1 << 20)) ?? []
  return bytes.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: "\(kind) ".utf8) }.map { line in
    line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The file must be whole: what is left of one that was cut has other offsets.
private func readZoneData(
  at path: String, name: String, directory: String
) throws(ZoneError) -> TransitionZone {
  let bytes: [UInt8]
  do throws(OutsideFileError) { bytes = try OutsideFile.read(path, limit_bytes: TZif.mostBytes) } catch {
    switch error {
    case .callFailed(let call, _, let code):
      throw .unreadable(name: name, directory: directory, call: call, code: code)
    // Europe alone is a directory.
    case .notAFile(_, kind: .directory):
      throw .notZoneData(name: name, directory: directory, reason: "is not a regular file")
    case .tooLarge:
      throw .notZoneData(name: name, directory: directory, reason: "is too large to be zone data")
    case .notAFile, .readableByOthers, .foreignOwner, .notForThisUser: throw .notAFile(error)
    }
  }
  do throws(TZif.ParseError) { return try TZif(bytes).table } catch {
    throw .notZoneData(name: name, directory: directory, reason: bytes.isEmpty ? "is empty" : error.reason)
  }
}
