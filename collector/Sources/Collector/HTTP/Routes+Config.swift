import Foundation
import Hummingbird

/// Settings of devices, from an operator.
extension Routes {
  /// With white space.
  private static let mostConfig_bytes = 4 * DeviceConfig.most_bytes

  func config(device: String) async throws -> Response {
    guard let found = try await store.config(device: device) else {
      throw Refusal(.notFound, "no such device")
    }
    guard let config = found else { throw Refusal(.notFound, "nobody has set anything for this device") }
    return Response.json(config)
  }

  /// Whether the values make sense the device itself says: it has the settings file.
  func setConfig(_ request: Request, device: String) async throws -> Response {
    let body = try await Self.body(request)
    guard body.count <= Self.mostConfig_bytes else { throw DeviceConfig.tooLarge(body.count) }
    guard case .object(var members)? = JSONValue(text: String(decoding: body, as: UTF8.self)) else {
      throw Refusal.badBody("the body is not a JSON object")
    }
    // Only one of them would reach the device, and nobody knows which is meant.
    if let key = JSONSlices.firstDoubledKey(body[...]) {
      throw Refusal.badBody("the body has `\(key.prefix(60))` twice in one object")
    }
    let version = members.removeValue(forKey: "version")
    if let version, ConfigVersion.read(version) == nil {
      throw Refusal.badBody("`version` must be a whole number from 1 to \(ConfigVersion.all.upperBound)")
    }
    guard case .object? = members["settings"] else {
      throw Refusal.badBody("the body has no object `settings`; an empty one takes all back")
    }
    if let other = members.keys.sorted().first(where: { !["settings", "geofences"].contains($0) }) {
      throw Refusal.badBody(
        "the body may hold `version`, `settings` and `geofences`, not `\(other.prefix(60))`")
    }
    let set = try await store.setConfig(
      device: device, version: version?.integer, members: members, at: now_ms())
    guard let config = set ?? nil else { throw Refusal(.notFound, "no such device") }
    return Response.json(config)
  }
}
