import Hummingbird

/// How long records stay, and deletion on request: for admins.
extension Routes {
  func addRetention(to group: RouterGroup<CollectorContext>) {
    let routes = self
    group
      .put("devices/:device/retention") { request, context in
        try await routes.setRetention(request, device: Self.device(in: context))
      }
      .delete("devices/:device/history") { request, context in
        try await routes.deleteHistory(request, context)
      }
  }

  private func setRetention(_ request: Request, device: String) async throws -> Response {
    let members = try Self.members(ofBody: try await Self.body(request))
    let days: Int?
    switch members["keep_days"] {
    case .null?: days = nil
    case .integer(let number)?: days = Int(exactly: number).flatMap { Self.kept($0) } ?? -1
    default: days = -1
    }
    guard days != -1 else {
      throw Refusal.badBody(
        "`keep_days` must be a whole number from 1 to 36500, or null for the collector's own")
    }
    guard try await store.setKeepDays(days, of: device) else { throw Refusal.noDevice(device) }
    return Response(status: .noContent)
  }

  private static func kept(_ days: Int) -> Int? { CollectorOptions.daysKept.contains(days) ? days : nil }

  /// All of it, or what is older than `before`.
  private func deleteHistory(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let device = try Self.device(in: context)
    let before_ms = try Self.time_ms("before", request)
    let now_ms = now_ms()
    // What comes while it is being deleted stays, or there might be no end.
    let doomed = Doomed(
      device: device, before_ms: before_ms ?? .max, receivedBefore_ms: before_ms == nil ? now_ms + 1 : .max)
    guard let count = try await store.deleteHistory(doomed, at: now_ms) else {
      throw Refusal.noDevice(device)
    }
    if before_ms == nil { try await store.forgetPresent(of: device) }
    try await store.leaveNoTrace()
    context.logger.notice("device \(device): \(count) records are deleted on request")
    feed.publish(device)
    return Response.json(["deleted": count])
  }
}
