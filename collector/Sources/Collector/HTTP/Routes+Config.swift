import Foundation
import Hummingbird

/// Settings of devices, from an operator.
extension Routes {
  /// With white space.
  private static let mostConfig_bytes = 4 * DeviceConfig.most_bytes

  func config(device: String) async throws -> Response {
    guard let found = try await store.config(device: device) else {
      throw Refusal.noDevice(device)
    }
    guard let config = found else { throw Refusal(.notFound, "nobody has set anything for this device") }
    return Self.response(config)
  }

  func configHistory(device: String) async throws -> Response {
    guard let found = try await store.configHistory(of: device) else {
      throw Refusal.noDevice(device)
    }
    return Response.json(text: "[\(found.map(\.json).joined(separator: ","))]")
  }

  private static func response(_ config: DeviceConfig) -> Response {
    Response.json(config, adding: ["config": config.text])
  }

  /// Whether the values make sense the device itself says: it has the settings file.
  func setConfig(_ request: Request, device: String, by visitor: Visitor) async throws -> Response {
    let body = try await Self.body(request)
    guard body.count <= Self.mostConfig_bytes else { throw DeviceConfig.tooLarge(body.count) }
    _ = try Self.members(ofBody: body)
    // Only one of them would reach the device, and nobody knows which is meant.
    if let key = JSONSlices.firstDoubledKey(body[...]) {
      throw Refusal.badBody("the body has `\(key.prefix(60))` twice in one object")
    }
    // Their texts, since the device names mistakes in the order in which they stand.
    var members = Dictionary(uniqueKeysWithValues: JSONSlices.members(body[...]) ?? [])
      .mapValues(JSONSlices.compact)
    let version = members.removeValue(forKey: "version").map { ConfigVersion.read(JSONValue(text: $0)) }
    if version == .some(nil) {
      throw Refusal.badBody("`version` must be a whole number from 1 to \(ConfigVersion.all.upperBound)")
    }
    try Self.check(members, needsSettings: true)
    defer { fleet.places.changed() }
    return Self.response(
      try await store.setConfig(
        device: Self.checked(name: device), version: version ?? nil, members: members, by: visitor.name,
        at: now_ms()))
  }
}
