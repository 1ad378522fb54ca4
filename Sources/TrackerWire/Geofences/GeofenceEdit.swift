/// Changes of a file of geofences that leave everything else in it as it is, byte for byte.
public enum GeofenceEdit {
  /// A file without geofences.
  public static let emptyFile = "{\n  \"type\": \"FeatureCollection\",\n  \"features\": []\n}\n"

  /// The ids of the features, in the order of the file; nil for one that has none. Empty where there are no features.
  public static func ids(in bytes: [UInt8]) -> [String?] {
    JSONReader.parse(bytes)?["features"]?.array?.map { FeatureReader.id(of: $0) } ?? []
  }

  /// - Parameter feature: JSON. It becomes the last one, laid out as the one before it.
  /// - Returns: nil if the file has no features, not even none.
  public static func adding(_ feature: String, to bytes: [UInt8]) -> [UInt8]? {
    guard let features = JSONReader.elements(of: "features", in: bytes) else { return nil }
    var result = bytes
    guard let last = features.each.last else {
      result.replaceSubrange(features.inside, with: "\n    \(feature)\n  ".utf8)
      return result
    }
    let space = Array(bytes[..<last.lowerBound].reversed().prefix { $0 <= 0x20 }.reversed())
    result.insert(contentsOf: [UInt8(ascii: ",")] + space + feature.utf8, at: last.upperBound)
    return result
  }

  /// - Parameter number: of the feature, from 0.
  /// - Returns: nil if there is no such feature.
  public static func removing(_ number: Int, from bytes: [UInt8]) -> [UInt8]? {
    guard let features = JSONReader.elements(of: "features", in: bytes),
      features.each.indices.contains(number)
    else { return nil }
    let each = features.each
    var result = bytes
    if number + 1 < each.count {
      result.removeSubrange(each[number].lowerBound..<each[number + 1].lowerBound)
    } else if number > 0 {
      result.removeSubrange(each[number - 1].upperBound..<each[number].upperBound)
    } else {
      result.removeSubrange(features.inside)
    }
    return result
  }
}
