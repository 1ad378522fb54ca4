import Hummingbird

/// What the pages show: the fleet, and a vehicle's days.
extension Routes {
  func addFleet(to router: Router<CollectorContext>) {
    let routes = self
    router.get("/v1/fleet") { _, _ in Response.json(try await routes.fleet.vehicles()) }
    router.get("/v1/geofences") { _, _ in
      Response.json(
        JSONValue.object([
          "type": .string("FeatureCollection"), "features": .array(try await routes.store.geofences()),
        ]))
    }
    router.get("/metrics") { _, _ in
      let vehicles = try await routes.fleet.vehicles()
      let text =
        FleetMetrics.text(vehicles, now_ms: routes.now_ms(), watching: routes.feed.count)
        + routes.figures.metrics + StoredWebhook.metrics(try await routes.store.webhooks())
        + (routes.mqtt?.metrics ?? "") + (routes.connections?.metrics ?? "")
      return Response(
        status: .ok, headers: [.contentType: MetricText.type, .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
    router.get("/v1/events") { _, context in try routes.events(for: context.visitor) }
    router.get("/v1/devices/:device") { _, context in
      let device = try Self.device(in: context)
      guard let status = try await routes.store.status(of: device) else { throw Refusal.noDevice(device) }
      return Response.json(status)
    }
    router.get("/v1/devices/:device/day") { request, context in
      try await routes.day(request, device: Self.device(in: context))
    }
    router.get("/v1/devices/:device/position") { request, context in
      try await routes.position(request, device: Self.device(in: context))
    }
  }

  private func day(_ request: Request, device: String) async throws -> Response {
    guard let from_ms = try Self.time_ms("from", request), let to_ms = try Self.time_ms("to", request) else {
      throw Refusal(.badRequest, "the request needs `from` and `to`, RFC 3339 dates and times")
    }
    guard from_ms < to_ms, to_ms - from_ms <= Day.longest_ms else {
      throw Refusal(
        .badRequest, "`to` must be later than `from`, by \(Day.longest_ms / 86_400_000) days at most")
    }
    guard var day = try await store.day(device: device, from: from_ms, to: to_ms) else {
      throw Refusal.noDevice(device)
    }
    try await fleet.places.refresh(from: store, at: now_ms())
    for (index, stop) in day.stops.enumerated() {
      day.stops[index].place = fleet.places.name(
        Coordinate(latitude: stop.latitude, longitude: stop.longitude))
    }
    return Response.json(day)
  }

  private func position(_ request: Request, device: String) async throws -> Response {
    guard let time_ms = try Self.time_ms("time", request) else {
      throw Refusal(.badRequest, "the request needs `time`, an RFC 3339 date and time")
    }
    guard let found = try await store.position(of: device, at: time_ms) else {
      throw Refusal.noDevice(device)
    }
    guard let point = found else { return Response.json(JSONValue.object([:])) }
    try await fleet.places.refresh(from: store, at: now_ms())
    return Response.json(
      Day.Position(
        latitude: point.latitude, longitude: point.longitude, timestamp: Timestamp.text(point.time_ms),
        speed: point.speed,
        place: fleet.places.name(Coordinate(latitude: point.latitude, longitude: point.longitude))))
  }

  private static let mostGroups = 20

  func setGroups(_ request: Request, device: String) async throws -> Response {
    let members = try Self.members(ofBody: try await Self.body(request))
    guard let elements = members["groups"]?.elements, elements.count <= Self.mostGroups else {
      throw Refusal.badBody("the body has no array `groups` of \(Self.mostGroups) names at most")
    }
    let names = try elements.map { element in
      guard let name = element.string else { throw Refusal.badBody("a group's name is a text") }
      if let fault = NameRule.fault(in: name, longest: 64) {
        throw Refusal.badBody("a group's name has 1 to 64 characters: this one \(fault)")
      }
      return name
    }
    guard try await store.setGroups(of: device, to: Set(names)) else {
      throw Refusal.noDevice(device)
    }
    feed.publish(device)
    return Response.json(["groups": Set(names).sorted()])
  }
}
