/// All names that a settings file may use, to find the one that was meant.
public struct SettingNames {
  var settings: [[String]] = []
  var tables: [[String]] = []

  /// The known name that differs least from an unknown one, or nil if none is near.
  /// The same key in another group is nearer than another key in the same group.
  func nearest(to path: [String], isTable: Bool) -> String? {
    guard let key = path.last else { return nil }
    let written = Self.folded(key)
    let limit = max(1, written.count / 3)
    var best: (cost: Int, path: [String])?
    for candidate in isTable ? tables : settings {
      guard let distance = Self.distance(from: written, to: candidate, limit: limit) else { continue }
      let cost = 2 * distance + (candidate.dropLast() == path.dropLast() ? 0 : 1)
      if cost < best?.cost ?? .max { best = (cost, candidate) }
    }
    return best.map { SettingText.dotted($0.path) }
  }

  /// The one of a few values that begins so, or that differs least from `written`; nil if none is near.
  public static func nearest(to written: String, among values: [String]) -> String? {
    let bytes = folded(written)
    let longer = values.filter { folded($0).starts(with: bytes) }
    if !bytes.isEmpty, longer.count == 1 { return longer[0] }
    // Something of it must stay.
    let limit = min(max(1, bytes.count / 3), bytes.count - 1)
    let distances = values.compactMap { value in
      editDistance(bytes, folded(value), limit: limit).map { (value, $0) }
    }
    return distances.min { $0.1 < $1.1 }?.0
  }

  /// Some keys repeat their group (`sync.sync_interval_s`) and some do not: both ways of writing count.
  private static func distance(from written: [UInt8], to candidate: [String], limit: Int) -> Int? {
    let key = candidate[candidate.count - 1]
    var spellings = [key]
    if candidate.count > 1 {
      let prefix = candidate[candidate.count - 2] + "_"
      spellings.append(key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : prefix + key)
    }
    return spellings.compactMap { editDistance(written, folded($0), limit: limit) }.min()
  }

  private static func folded(_ key: String) -> [UInt8] {
    key.lowercased().utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
  }

  /// How many letters have to be added, dropped, replaced or swapped with their neighbour (optimal string
  /// alignment), or nil if more than `limit`.
  private static func editDistance(_ a: [UInt8], _ b: [UInt8], limit: Int) -> Int? {
    if abs(a.count - b.count) > limit { return nil }
    var last: [Int] = []
    var row = Array(0...b.count)
    for i in a.indices {
      var next = [i + 1]
      for j in b.indices {
        var cost = min(row[j] + (a[i] == b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, last[j - 1] + 1) }
        next.append(cost)
      }
      (last, row) = (row, next)
    }
    return row[b.count] <= limit ? row[b.count] : nil
  }
}
