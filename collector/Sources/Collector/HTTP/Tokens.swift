import Foundation
import Hummingbird

/// The tokens that open the collector. There may be several, so that a fleet can change from one to the next
/// without a gap.
public struct Tokens: Sendable {
  private let tokens: [[UInt8]]

  /// One token a line; empty lines do not count. Nil if there is none.
  public init?(text: String) {
    let lines = text.split(whereSeparator: \.isNewline)
    tokens = lines.map { Array($0.trimmingCharacters(in: .whitespaces).utf8) }.filter { !$0.isEmpty }
    if tokens.isEmpty { return nil }
  }

  /// Takes as long for a token that is nearly right as for one that is all wrong.
  func contains(_ candidate: String) -> Bool {
    let candidate = Array(candidate.utf8)
    return tokens.reduce(false) { found, token in Self.isEqual(token, candidate) || found }
  }

  private static func isEqual(_ token: [UInt8], _ candidate: [UInt8]) -> Bool {
    var difference = token.count ^ candidate.count
    for (index, byte) in candidate.enumerated() {
      difference |= Int(byte ^ token[index % token.count])
    }
    return difference == 0
  }
}

/// Lets through who brings a token: a device as `Bearer`, a browser as the password of `Basic`, with any name. A
/// device's own token lets it send under its own name, and opens nothing else.
struct TokenMiddleware<Context: RequestContext>: RouterMiddleware {
  /// These open all but what is an operator's. Nil: there are none, and devices bring their own.
  let tokens: Tokens?
  /// These open everything too.
  var operators: Tokens?
  let store: Store
  let uploadPath: String
  /// Paths that are open to all.
  let openPaths: Set<String>
  let now_ms: @Sendable () -> Int64

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    if openPaths.contains(request.uri.path) { return try await next(request, context) }
    guard let header = request.headers[.authorization] else {
      return try refuse("the request brings no token: send `Authorization: Bearer …`")
    }
    guard let candidate = Tokens.candidate(in: header) else {
      return try refuse("the token is not known here")
    }
    if tokens?.contains(candidate) == true || operators?.contains(candidate) == true {
      return try await next(request, context)
    }
    guard let owner = try await store.owner(ofToken: candidate) else {
      return try refuse("the token is not known here")
    }
    try check(request, from: owner, context)
    try await store.wasUsed(owner, at: now_ms())
    return try await next(request, context)
  }

  private func check(_ request: Request, from owner: TokenOwner, _ context: Context) throws {
    guard request.uri.path == uploadPath, request.method == .post else {
      throw Refusal(.forbidden, "a device's token lets it send its own records, and opens nothing else")
    }
    let device = try Routes.device(request)
    guard device == owner.device else {
      context.logger.warning("device \(owner.device): its token \(owner.number) came with the name \(device)")
      throw Refusal(
        .forbidden,
        "this token belongs to another device than Godwit-Device names: correct device_id, or the token")
    }
  }

  private func refuse(_ message: String) throws -> Response {
    var response = Response.json(["error": message], status: .unauthorized)
    response.headers[.wwwAuthenticate] = "Basic realm=\"godwit collector\", charset=\"UTF-8\""
    return response
  }
}

extension Tokens {
  /// What an `Authorization` header brings.
  static func candidate(in header: String) -> String? {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    switch parts[0].lowercased() {
    case "bearer": return parts[1].trimmingCharacters(in: .whitespaces)
    case "basic":
      guard let data = Data(base64Encoded: String(parts[1])), let text = String(data: data, encoding: .utf8),
        let colon = text.firstIndex(of: ":")
      else { return nil }
      return String(text[text.index(after: colon)...])
    default: return nil
    }
  }
}

/// Lets only operators through: a device's token must not change what another device does.
struct OperatorMiddleware<Context: RequestContext>: RouterMiddleware {
  /// Whoever comes is an operator: no token is asked for at all, or he came over the control socket.
  let isOpen: Bool
  let operators: Tokens?

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    if isOpen { return try await next(request, context) }
    guard let operators else {
      throw Refusal(
        .forbidden, "nobody may change devices here: start the collector with --operator-token-file")
    }
    let candidate = request.headers[.authorization].flatMap(Tokens.candidate)
    guard let candidate, operators.contains(candidate) else {
      throw Refusal(.forbidden, "only an operator's token may change devices (--operator-token-file)")
    }
    return try await next(request, context)
  }
}
