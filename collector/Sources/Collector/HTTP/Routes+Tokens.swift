import Foundation
import Hummingbird

/// Tokens of devices and codes, for operators.
extension Routes {
  struct IssuedToken: Codable, Equatable {
    var device: String
    var token: String
    var number: Int64
  }

  struct MadeCodes: Codable, Equatable {
    var codes: [String]
    var expires: String
  }

  static let mostCodes = 10_000
  static let longestCode_s: Int64 = 366 * 86_400
  static let usualCode_s: Int64 = 7 * 86_400

  func addTokens(to group: RouterGroup<CollectorContext>) {
    let routes = self
    group
      .get("tokens") { _, _ in Response.json(try await routes.store.tokens(of: nil) ?? []) }
      .put("tokens") { request, context in try await routes.register(request, context) }
      .get("devices/:device/tokens") { _, context in
        try await routes.tokens(of: Self.device(in: context))
      }
      .post("devices/:device/tokens") { _, context in
        try await routes.issueToken(to: Self.device(in: context), context)
      }
      .delete("devices/:device/tokens") { _, context in
        try await routes.revokeTokens(of: Self.device(in: context), number: nil, context)
      }
      .delete("devices/:device/tokens/:number") { _, context in
        try await routes.revokeTokens(
          of: Self.device(in: context), number: Self.number(in: context, of: "a token"), context)
      }
      .get("enrolment-codes") { _, _ in
        Response.json(try await routes.store.codes(at: routes.now_ms()))
      }
      .post("enrolment-codes") { request, context in try await routes.makeCodes(request, context) }
      .delete("enrolment-codes/:number") { _, context in
        let number = try Self.number(in: context, of: "a code")
        guard try await routes.store.revokeCode(number) else { throw Refusal(.notFound, "no such code") }
        context.logger.notice("enrolment code \(number) is deleted")
        return Response(status: .noContent)
      }
  }

  static func number(in context: CollectorContext, of what: String) throws -> Int64 {
    guard let number = Int64(try context.parameters.require("number")) else {
      throw Refusal(.badRequest, "the number of \(what) has digits alone")
    }
    return number
  }

  // MARK: Tokens

  private func tokens(of device: String) async throws -> Response {
    guard let found = try await store.tokens(of: device) else { throw Refusal.noDevice(device) }
    return Response.json(found)
  }

  private func issueToken(to device: String, _ context: some RequestContext) async throws -> Response {
    let device = try Self.checked(name: device)
    let issued = try await store.issueToken(to: device, at: now_ms())
    context.logger.notice("device \(device): token \(issued.number) is issued")
    return Response.json(
      IssuedToken(device: device, token: issued.token, number: issued.number), status: .created)
  }

  private func revokeTokens(
    of device: String, number: Int64?, _ context: some RequestContext
  ) async throws -> Response {
    guard let count = try await store.revokeTokens(of: device, number: number) else {
      throw Refusal.noDevice(device)
    }
    guard count > 0 else {
      throw Refusal(
        .notFound, number == nil ? "the device has no token" : "the device has no token of this number")
    }
    context.logger.notice("device \(device): \(count) tokens are revoked")
    return Response.json(["revoked": count])
  }

  /// Their hashes alone come here: whoever made the tokens has them.
  private func register(_ request: Request, _ context: some RequestContext) async throws -> Response {
    let members = try Self.members(ofBody: try await Self.body(request))
    guard let elements = members["tokens"]?.elements else {
      throw Refusal.badBody("the body has no array `tokens`")
    }
    let tokens = try elements.enumerated().map { index, element in
      guard let device = element["device"]?.string, (try? Self.checked(name: device)) != nil,
        let hash = element["sha256"]?.string.flatMap({ Secret.hash(hex: $0) })
      else {
        throw Refusal(
          .badRequest,
          "each of `tokens` must have a `device` and `sha256`, the token's hash in 64 hexadecimal digits",
          index: index)
      }
      return (device: device, hash: hash)
    }
    let done = try await store.register(tokens, ends: members["replace"] == .bool(true), at: now_ms())
    context.logger.notice(
      "\(done.registered) tokens are registered, \(done.unchanged) were, \(done.ended) older ones are ended")
    return Response.json(done)
  }

  // MARK: Codes

  private func makeCodes(_ request: Request, _ context: some RequestContext) async throws -> Response {
    let members = try Self.members(ofBody: try await Self.body(request))
    let count = try Self.whole(members["count"], "count", 1...Int64(Self.mostCodes)) ?? 1
    let validFor_s =
      try Self.whole(members["valid_for_s"], "valid_for_s", 60...Self.longestCode_s) ?? Self.usualCode_s
    let name = try members["for"].map { value in
      guard let name = value.string else { throw Refusal.badBody("`for` must be the name of a device") }
      return try Self.checked(name: name)
    }
    guard name == nil || count == 1 else {
      throw Refusal.badBody("a code for one device is one code: leave out `count` or `for`")
    }
    let now_ms = now_ms()
    let codes = try await store.makeCodes(Int(count), for: name, validFor_ms: validFor_s * 1000, at: now_ms)
    context.logger.notice("\(codes.count) enrolment codes are made\(name.map { ", for \($0)" } ?? "")")
    return Response.json(
      MadeCodes(codes: codes, expires: Timestamp.text(now_ms + validFor_s * 1000)), status: .created)
  }

  private static func whole(_ value: JSONValue?, _ key: String, _ range: ClosedRange<Int64>) throws -> Int64?
  {
    guard let value else { return nil }
    guard let number = value.integer, range.contains(number) else {
      throw Refusal.badBody("`\(key)` must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
