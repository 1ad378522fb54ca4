/// The count of a device's settings, by the rule that the device has too (docs/remote.md): it goes round, as serial numbers
/// do (RFC 1982, section 3.2), so there is always a newer one.
enum ConfigVersion {
  static let all: ClosedRange<Int64> = 1...(1 << 53)
  /// So far above another one a version counts as newer; from here on it is an older one.
  static let newerWithin: Int64 = all.upperBound / 2

  /// - Returns: nil for what is none, whoever has written it.
  static func read(_ value: JSONValue?) -> Int64? {
    value?.integer.flatMap { all.contains($0) ? $0 : nil }
  }

  /// - Parameter other: 0: there was none.
  static func isNewer(_ version: Int64, than other: Int64) -> Bool {
    guard other != 0 else { return version != 0 }
    let ahead = version - other
    return (1..<newerWithin).contains(ahead < 0 ? ahead + all.upperBound : ahead)
  }

  static func newer(_ one: Int64, _ other: Int64) -> Int64 { isNewer(one, than: other) ? one : other }

  static func next(after version: Int64) -> Int64 {
    version >= all.upperBound ? all.lowerBound : version + 1
  }

  /// Why it cannot follow the newest one, in words; nil: it can.
  static func problem(of version: Int64, after newest: Int64) -> String? {
    if isNewer(version, than: newest) { return nil }
    if version > newest {
      return
        "version \(version) is \(newerWithin) or more above \(newest), which the device or this collector "
        + "has seen: the device would take it for an older one; the next is \(next(after: newest))"
    }
    return "version \(version) is not above \(newest), which the device or this collector has seen"
  }
}
