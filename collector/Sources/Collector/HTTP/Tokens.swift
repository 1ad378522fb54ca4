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

/// Lets through who brings a token: a device as `Bearer`, a browser as the password of `Basic`, with any name.
struct TokenMiddleware<Context: RequestContext>: RouterMiddleware {
  let tokens: Tokens
  /// These open everything too.
  var operators: Tokens?
  /// Paths that show nothing and are open to all.
  let openPaths: Set<String>

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    if openPaths.contains(request.uri.path) { return try await next(request, context) }
    guard let header = request.headers[.authorization] else {
      return try refuse("the request brings no token: send `Authorization: Bearer …`")
    }
    guard let candidate = Tokens.candidate(in: header),
      tokens.contains(candidate) || operators?.contains(candidate) == true
    else {
      return try refuse("the token is not known here")
    }
    return try await next(request, context)
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
  /// Of devices and readers.
  let tokens: Tokens?
  let operators: Tokens?

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    if tokens == nil, operators == nil { return try await next(request, context) }
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
