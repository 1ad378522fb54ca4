import Glibc
import TrackerCore

/// A zone of the system's tz database, read through libc.
///
/// libc knows one zone at a time, the one of `TZ`, so this asks it for every change from 2000 to 2069 at once
/// and puts `TZ` back. After that it is a plain value: a query costs a bisection. Make a new one to see zone
/// data that was replaced. Before and after those years the nearest known offset holds.
///
/// Making one changes the environment of the process for a moment: the agent does it on its one thread.
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
    if name.isEmpty {
      let (found, changes) = try systemZone(system, directory: directory)
      self.name = found
      table = readTable(system)
      try compare(with: changes, directory: directory)
    } else {
      let changes = try checkZoneFile(name, directory: directory)
      self.name = name
      table = readTable(":\(directory)/\(name)")
      try compare(with: changes, directory: directory)
    }
  }

  /// As it was kept, see `SavedZone`.
  init(name: String, table: TransitionZone) { (self.name, self.table) = (name, table) }

  var transitions: (initial_s: Int, changes: [TransitionZone.Transition]) { table.contents }

  /// libc says nothing when it cannot read what this program could: it answers in UTC.
  private func compare(with changes: [TZif.Change], directory: String) throws(ZoneError) {
    let covered = changes.filter { (firstKnown_s..<lastKnown_s).contains($0.at_s) }
    guard covered.allSatisfy({ table.offset_s(at: $0.at_s) == $0.offset_s }) else {
      throw .notZoneData(name: name, directory: directory, reason: "is not what libc makes of it")
    }
  }

  public func offset_s(at unix_s: Int64) -> Int { table.offset_s(at: unix_s) }
  public func nextTransition(after unix_s: Int64) -> Int64? { table.nextTransition(after: unix_s) }
}

/// Why there is no such zone. libc itself would say nothing and answer in UTC.
public enum ZoneError: Error, Equatable, CustomStringConvertible {
  /// Not of the form of an IANA name.
  case malformedName(String)
  case unreadable(name: String, directory: String, call: String, code: Int32)
  /// - Parameter reason: as it stands after "the file".
  case notZoneData(name: String, directory: String, reason: String)
  /// Something else than a file stands where the zone's data are looked for.
  case notAFile(OutsideFileError)

  /// There is no file of that name.
  public var isMissing: Bool {
    if case .unreadable(_, _, _, ENOENT) = self { true } else { false }
  }

  /// The mistake of whoever wrote the name, which no other file on the disk makes good.
  public var isMistake: Bool {
    if case .malformedName = self { true } else { false }
  }

  public var description: String {
    switch self {
    case .malformedName(let name):
      "timezone \"\(name)\" is not an IANA name such as \"Europe/Zurich\""
    case .notZoneData("", _, let reason):
      "the system's zone: /etc/localtime \(reason): install tzdata anew, or set timezone"
    case .unreadable("", _, let call, let code):
      "the system's zone: \(call) of /etc/localtime: \(words(of: code)) (\(code)): install tzdata, or set timezone"
    case .unreadable(let name, let directory, _, ENOENT):
      "timezone \"\(name)\" is not in \(directory): write an IANA name such as \"Europe/Zurich\""
        + " (timedatectl list-timezones), or install tzdata"
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

/// The zone that libc takes by itself.
private func systemZone(
  _ system: String?, directory: String
) throws(ZoneError) -> (name: String, changes: [TZif.Change]) {
  guard let system else { return try localtime() }
  // tzset(3): set but empty means UTC.
  if system.isEmpty { return ("UTC", []) }
  let zone = system.hasPrefix(":") ? String(system.dropFirst()) : system
  // A rule such as CET-1CEST,M3.5.0,M10.5.0/3 is no file, and libc reads it itself.
  if isPOSIXRule(zone) { return (zone, []) }
  if zone.hasPrefix("/") { return (zone, try checkZoneData(at: zone, name: zone, directory: "TZ")) }
  return (zone, try checkZoneFile(zone, directory: directory))
}

/// localtime(5): without that file UTC holds. One that is there and cannot be read is another matter.
private func localtime() throws(ZoneError) -> (name: String, changes: [TZif.Change]) {
  var info = stat()
  if lstat(localtimePath, &info) != 0, errno == ENOENT { return ("UTC", []) }
  return (localtimeName(), try checkZoneData(at: localtimePath, name: "", directory: ""))
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

/// A name and an offset, as in tzset(3): letters or `<…>`, then a sign or a digit.
private func isPOSIXRule(_ zone: String) -> Bool {
  let name: Substring
  if zone.hasPrefix("<") {
    name = zone.prefix { $0 != ">" }
  } else {
    name = zone.prefix { $0.isASCII && $0.isLetter }
  }
  let rest = zone.dropFirst(name.count).drop { $0 == ">" || $0 == "+" || $0 == "-" }
  return name.count >= 3 && rest.first?.isNumber == true
}

private func checkZoneFile(_ name: String, directory: String) throws(ZoneError) -> [TZif.Change] {
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
  return try checkZoneData(at: "\(directory)/\(name)", name: name, directory: directory)
}

/// The file must be whole, or libc would take it for UTC.
private func checkZoneData(
  at path: String, name: String, directory: String
) throws(ZoneError) -> [TZif.Change] {
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
    case .notAFile, .readableByOthers, .foreignOwner: throw .notAFile(error)
    }
  }
  do throws(TZif.Flaw) { return try TZif.changes(in: bytes) } catch {
    throw .notZoneData(name: name, directory: directory, reason: bytes.isEmpty ? "is empty" : error.reason)
  }
}

/// 2000-01-01 to 2070-01-01.
private let (firstKnown_s, lastKnown_s): (Int64, Int64) = (946_684_800, 3_155_760_000)

/// Every change from 2000-01-01 to 2070-01-01 of the zone that `TZ` selects.
private func readTable(_ selected: String?) -> TransitionZone {
  let before = environment("TZ")
  defer { select(before) }
  // libc does not read a file again for the name that it already has.
  select("UTC0")
  select(selected)
  let (first_s, last_s) = (firstKnown_s, lastKnown_s)
  // The tz database has no two changes closer than six days in these years, so a day holds one at most.
  let step_s: Int64 = 86_400
  var transitions: [TransitionZone.Transition] = []
  var offset = libcOffset_s(at: first_s)
  let initial = offset
  for instant in stride(from: first_s + step_s, through: last_s, by: Int(step_s)) {
    let later = libcOffset_s(at: instant)
    guard later != offset else { continue }
    let change = firstInstant(of: later, from: instant - step_s, through: instant)
    transitions.append(.init(at_s: change, offset_s: later))
    offset = later
  }
  return TransitionZone(initial_s: initial, transitions: transitions)
}

private func select(_ zone: String?) {
  if let zone { setenv("TZ", zone, 1) } else { unsetenv("TZ") }
  tzset()
}

/// By bisection, for an offset that holds at the end and not at the start.
private func firstInstant(of offset_s: Int, from start_s: Int64, through end_s: Int64) -> Int64 {
  var before = start_s
  var from = end_s
  while from - before > 1 {
    let middle = (before + from) / 2
    if libcOffset_s(at: middle) == offset_s { from = middle } else { before = middle }
  }
  return from
}

private func libcOffset_s(at unix_s: Int64) -> Int {
  var instant = time_t(unix_s)
  var parts = tm()
  localtime_r(&instant, &parts)
  return parts.tm_gmtoff
}
