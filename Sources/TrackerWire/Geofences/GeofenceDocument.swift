import TrackerBase

/// The user's geofences as a GeoJSON file holds them (RFC 7946); docs/geofences.md shows one.
public enum GeofenceDocument {
  public static let mostBytes = 8_000_000
  public static let mostFences = 10_000

  /// - Parameter file: what errors call it.
  /// - Throws: everything that is wrong, all together.
  public static func parse(_ bytes: [UInt8], file: String) throws(GeofenceDocumentError) -> [Geofence] {
    func refuse(_ reason: String) -> GeofenceDocumentError {
      GeofenceDocumentError(file: file, problems: [.init(reason: reason)])
    }
    guard bytes.count <= mostBytes else {
      throw refuse("is larger than \(mostBytes / 1_000_000) MB: simplify the polygons, 5 m are fine enough")
    }
    guard let root = JSONReader.parse(bytes) else {
      guard String(validating: bytes, as: UTF8.self) != nil else {
        throw refuse("is not UTF-8: save the file as UTF-8 text")
      }
      throw refuse("is not JSON; `python3 -m json.tool FILE` says where")
    }
    guard root["type"]?.string == "FeatureCollection", let features = root["features"]?.array else {
      throw refuse("is not a GeoJSON FeatureCollection with features")
    }
    if let key = root.doubled.first(where: FeatureReader.names.contains) {
      throw refuse("has \(key) twice: put all into one of them")
    }
    guard features.count <= mostFences else {
      throw refuse("has \(features.count) features, but \(mostFences) geofences are the most")
    }
    var reader = FeatureReader()
    for feature in features { reader.read(feature) }
    guard reader.problems.isEmpty else {
      throw GeofenceDocumentError(file: file, problems: reader.problems)
    }
    return reader.fences
  }
}

/// What is wrong with a file of geofences.
public struct GeofenceDocumentError: Error, Equatable, CustomStringConvertible {
  public struct Problem: Equatable, Sendable {
    /// From 1; 0 if it is about the whole file.
    public var feature = 0
    public var id = ""
    public var reason: String
  }

  public var file: String
  /// At least one, in the order of the file.
  public var problems: [Problem]

  /// The rest is only counted.
  static let mostLines = 50

  /// A line a problem: `fences.geojson: feature 3 "depot": a ring needs three different corners at least`.
  public var description: String {
    var lines = problems.prefix(Self.mostLines).map { problem in
      let feature = problem.feature > 0 ? "feature \(problem.feature)" : ""
      let id = problem.id.isEmpty ? "" : " \(SettingText.quoted(problem.id))"
      return feature.isEmpty ? "\(file): \(problem.reason)" : "\(file): \(feature)\(id): \(problem.reason)"
    }
    let more = problems.count - lines.count
    if more > 0 { lines.append("\(file): and \(more) more") }
    return lines.joined(separator: "\n")
  }
}
