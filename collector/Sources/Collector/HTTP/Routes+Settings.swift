import Hummingbird

/// Settings for the form: what there is to be set, whether values are fit, and setting them for many devices at once.
extension Routes {
  private static let mostDevices = 10_000
  /// In one transaction: a fleet's uploads do not wait for an order to all of it.
  private static let devicesAtOnce = 200

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
    defer { fleet.places.changed() }
    for start in stride(from: 0, to: devices.count, by: Self.devicesAtOnce) {
      let some = Array(devices[start...].prefix(Self.devicesAtOnce))
      for (device, version) in try await store.setConfigs(
        devices: some, members: members, isMerged: isMerged, by: visitor.name, at: now_ms())
      {
        switch version {
        case .success(let version): answer.set.append(.init(device: device, version: version))
        case .failure(let refusal): answer.failed.append(.init(device: device, error: refusal.message))
        }
      }
    }
    return Response.json(answer)
  }

  /// Each once, though it be named twice.
  private func devices(_ members: [String: JSONValue]) async throws -> [String] {
    // One who means a group must not reach all.
    guard ["devices", "group", "all"].filter({ members[$0] != nil }).count == 1 else {
      throw Refusal.badBody("the body says for whom by one of `devices`, `group` and `all`")
    }
    if let named = members["devices"] {
      guard let names = named.elements, (1...Self.mostDevices).contains(names.count) else {
        throw Refusal.badBody("`devices` must have 1 to \(Self.mostDevices) names")
      }
      var seen: Set<ExactName> = []
      return try names.compactMap { name in
        guard let name = name.string else { throw Refusal.badBody("`devices` must be names of devices") }
        return seen.insert(ExactName(name)).inserted ? try Self.checked(name: name) : nil
      }
    }
    let group = members["group"]?.string
    guard group != nil || members["all"] == .bool(true) else {
      throw Refusal.badBody("`group` must be the name of a group, and `all` true")
    }
    let vehicles = try await fleet.vehicles()
    let wanted = group.map(ExactName.init)
    let found = vehicles.filter { vehicle in
      wanted == nil || vehicle.groups?.contains { ExactName($0) == wanted } == true
    }
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
      let other = JSONSlices.texts(members["settings"] ?? "{}").keys.sorted().first(where: { !isKey($0) })
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
}
