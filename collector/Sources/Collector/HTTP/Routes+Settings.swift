import Hummingbird

/// Settings for the form: what there is to be set, whether values are fit, and setting them for many devices at once.
extension Routes {
  private static let mostDevices = 10_000

  struct SetForMany: Encodable, Equatable {
    struct Done: Encodable, Equatable { var device: String, version: Int64 }
    struct Failed: Encodable, Equatable { var device: String, error: String }

    var set: [Done] = []
    var failed: [Failed] = []
  }

  func addSettings(to router: Router<CollectorContext>) {
    let routes = self
    router.get("/v1/settings") { _, _ in Response.json(try routes.known().settings) }
    router.post("/v1/settings/check") { request, _ in
      let members = try Self.members(ofBody: try await Self.body(request))
      guard let values = members["settings"]?.members else {
        throw Refusal.badBody("the body has no object `settings`")
      }
      return Response.json(["problems": try routes.known().problems(of: values)])
    }
  }

  private func known() throws -> SettingsSchema {
    guard let schema else {
      throw Refusal(
        .notFound, "this collector does not know the settings: --settings-schema names godwit.schema.json")
    }
    return schema
  }

  /// The same for several devices. With `merge` what each has been set before stays, but for the keys that are named;
  /// `null` takes one back.
  func setConfigOfMany(_ request: Request, by visitor: Visitor) async throws -> Response {
    let body = try await Self.body(request)
    guard body.count <= Self.maxBody_bytes >> 3 else { throw DeviceConfig.tooLarge(body.count) }
    let all = try Self.members(ofBody: body)
    if let key = JSONSlices.firstDoubledKey(body[...]) {
      throw Refusal.badBody("the body has `\(key.prefix(60))` twice in one object")
    }
    let isMerged = all["merge"] == .bool(true)
    let devices = try await devices(all)
    var members = Dictionary(uniqueKeysWithValues: JSONSlices.members(body[...]) ?? [])
      .mapValues(JSONSlices.compact)
    for key in ["devices", "group", "all", "merge"] { members[key] = nil }
    try Self.check(members, needsSettings: !isMerged)
    var answer = SetForMany()
    for device in devices {
      do {
        let texts = isMerged ? try await merged(members, of: device) : members
        let config = try await store.setConfig(
          device: device, version: nil, members: texts, by: visitor.name, at: now_ms())
        answer.set.append(.init(device: device, version: config.version))
      } catch let refusal as Refusal {
        answer.failed.append(.init(device: device, error: refusal.message))
      }
    }
    return Response.json(answer)
  }

  private func devices(_ members: [String: JSONValue]) async throws -> [String] {
    if let names = members["devices"]?.elements {
      guard (1...Self.mostDevices).contains(names.count) else {
        throw Refusal.badBody("`devices` must have 1 to \(Self.mostDevices) names")
      }
      return try names.map { name in
        guard let name = name.string else { throw Refusal.badBody("`devices` must be names of devices") }
        return try Self.checked(name: name)
      }
    }
    let group = members["group"]?.string
    guard group != nil || members["all"] == .bool(true) else {
      throw Refusal.badBody("the body says for whom by `devices`, `group` or `all`")
    }
    let vehicles = try await store.vehicles(named: nil, at: now_ms(), silentAfter_ms: silentAfter_ms)
    let found = vehicles.filter { vehicle in group.map { vehicle.groups?.contains($0) == true } ?? true }
    guard !found.isEmpty else { throw Refusal(.notFound, "there is no device in this group") }
    return found.map(\.device)
  }

  static func check(_ members: [String: String], needsSettings: Bool) throws {
    let isKey = { (key: String) in
      key.utf8.allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || "_.".utf8.contains($0)
      }
    }
    // They are written anew where two objects become one.
    if !needsSettings,
      let other = texts(members["settings"] ?? "{}").keys.sorted().first(where: { !isKey($0) })
    {
      throw Refusal.badBody("`\(other.prefix(60))` is no key of a setting")
    }
    if needsSettings || members["settings"] != nil {
      guard members["settings"]?.hasPrefix("{") == true else {
        throw Refusal.badBody("the body has no object `settings`; an empty one takes all back")
      }
    }
    if let other = members.keys.sorted().first(where: { !["settings", "geofences"].contains($0) }) {
      throw Refusal.badBody(
        "the body may hold `version`, `settings` and `geofences`, not `\(other.prefix(60))`")
    }
  }

  /// Texts of values stay letter by letter.
  private func merged(_ members: [String: String], of device: String) async throws -> [String: String] {
    let before = try await store.config(device: device) ?? nil
    var texts = Self.texts(before?.text ?? "{}")
    texts["version"] = nil
    var settings = Self.texts(texts["settings"] ?? "{}")
    for (key, value) in Self.texts(members["settings"] ?? "{}") {
      settings[key] = value == "null" ? nil : value
    }
    texts["settings"] = JSONSlices.object(settings)
    if let geofences = members["geofences"] { texts["geofences"] = geofences == "null" ? nil : geofences }
    return texts
  }

  private static func texts(_ object: String) -> [String: String] {
    let members = JSONSlices.members(Array(object.utf8)[...]) ?? []
    return Dictionary(members.map { ($0.key, String(decoding: $0.value, as: UTF8.self)) }) { $1 }
  }
}
