import Hummingbird

/// "What if": a vehicle's own day with other settings.
extension Routes {
  func simulate(_ request: Request, device: String) async throws -> Response {
    guard let simulator, let schema else {
      throw Refusal(.notFound, "this collector cannot simulate: --simulator names the program godwit")
    }
    let members = try Self.members(ofBody: try await Self.body(request))
    guard let from_ms = members["from"]?.string.flatMap(Timestamp.milliseconds),
      let to_ms = members["to"]?.string.flatMap(Timestamp.milliseconds), from_ms < to_ms,
      to_ms - from_ms <= 8 * 86_400_000
    else {
      throw Refusal.badBody("the body needs `from` and `to`, RFC 3339 dates and times, 8 days apart at most")
    }
    guard let settings = members["settings"]?.members else {
      throw Refusal.badBody("the body has no object `settings`")
    }
    if let problem = schema.problems(of: settings).first {
      throw Refusal.badBody("`\(problem.key)` \(problem.problem)")
    }
    guard let day = try await store.day(device: device, from: from_ms, to: to_ms) else {
      throw Refusal.noDevice(device)
    }
    guard let track = ReplayTrack.csv(day.track) else {
      throw Refusal(.unprocessableContent, "there is no track on this day")
    }
    let config = try await store.config(device: device) ?? nil
    let known = Set(schema.settings.map(\.key))
    let now = (JSONValue(text: config?.text)?["settings"]?.members ?? [:]).filter { known.contains($0.key) }
    let results = try await simulator.run(track: track, [now, now.merging(settings) { $1 }])
    return Response.json(text: "{\"now\":\(results[0]),\"then\":\(results[1])}")
  }
}
