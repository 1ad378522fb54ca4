import HTTPTypes
import Hummingbird

/// Finds out who makes a request, and keeps out who may not even look. Whether a device may send, its route asks
/// (``UploadMiddleware``).
///
/// A person comes with the cookie of a session, a script with a token of one of the two files as `Bearer` or as the
/// password of `Basic`.
struct AccessMiddleware: RouterMiddleware {
  let access: Access
  let store: any Storage
  let uploadPath: RequestPath
  let now_ms: @Sendable () -> Int64

  func handle(
    _ request: Request, context: CollectorContext, next: (Request, CollectorContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    let path = RequestPath(request.uri.path)
    if access.isControlSocket {
      context.visitor = .controlSocket
      return try await next(request, context)
    }
    if Self.ofPrograms.contains(path) || (path == uploadPath && request.method == .post) {
      return try await next(request, context)
    }
    let found = try await visitor(request)
    context.visitor = found ?? .nobody
    if context.visitor.role == nil, !Self.isOpen(path) {
      return try await turnAway(request, isKnown: found != nil)
    }
    return try await next(request, context)
  }

  /// Who asks there does not matter, so that the database is not needed to know.
  private static let ofPrograms = [Routes.healthPath, Routes.readyPath, Routes.enrolPath].map(
    RequestPath.init)

  /// What holds nothing of the fleet.
  private static func isOpen(_ path: RequestPath) -> Bool {
    [RequestPath(Routes.sessionPath), RequestPath("/")].contains(path)
      || path.parts.first == "pages" || path.parts.first == "leaflet"
  }

  // MARK: People and scripts

  /// Nil: it brings nothing that is known here.
  private func visitor(_ request: Request) async throws -> Visitor? {
    if let candidate = request.headers[.authorization].flatMap(Tokens.candidate) {
      if access.operators?.contains(candidate) == true { return .operatorToken }
      if access.tokens?.contains(candidate) == true {
        // Once people have accounts of their own, what lies in every box opens the pages no longer.
        let hasAccounts = try await store.hasOperators()
        return hasAccounts ? Visitor(name: Visitor.sharedToken.name, role: nil) : .sharedToken
      }
      return try await store.owner(ofToken: candidate).map { Visitor(name: "device \($0.device)", role: nil) }
    }
    if let secret = Session.secret(in: request) {
      let hash = Secret.hash(secret)
      if let session = try await store.session(hash, at: now_ms()) {
        return Visitor(
          name: session.name, role: session.role, csrf: Session.csrf(of: secret), pass: .session(hash))
      }
    }
    if access.asksForTokens { return nil }
    if try await store.hasOperators() { return nil }
    guard LocalHost.isNamed(in: request) else { throw LocalHost.refusal }
    return access.operators == nil
      ? .anyone : Visitor(name: Visitor.anyone.name, role: .viewer, pass: .noAccounts)
  }

  // MARK: Words

  private func turnAway(_ request: Request, isKnown: Bool) async throws -> Response {
    if isKnown {
      throw Refusal(
        .forbidden, "a device's token lets it send its own records, and opens nothing else")
    }
    return try await Unauthorised.response(to: request, store)
  }
}

/// What whoever brings no token, or an unknown one, is answered.
enum Unauthorised {
  /// A browser asks its user for a token by itself where he has nothing else: there is no account to log in with.
  static func response(to request: Request, _ store: any Storage) async throws -> Response {
    let words =
      request.headers[.authorization] == nil
      ? "the request brings no token: send `Authorization: Bearer …`" : "the token is not known here"
    var response = Response.json(["error": words], status: .unauthorized)
    let asks = try await !store.hasOperators()
    response.headers[.wwwAuthenticate] =
      asks ? "Basic realm=\"godwit collector\", charset=\"UTF-8\"" : "Bearer realm=\"godwit collector\""
    return response
  }
}

/// Lets through who has a role.
struct RoleMiddleware: RouterMiddleware {
  let role: Role
  /// Whether there is a file of operators' tokens: what to say depends on it.
  let hasTokens: Bool
  let store: any Storage

  func handle(
    _ request: Request, context: CollectorContext, next: (Request, CollectorContext) async throws -> Response
  ) async throws -> Response {
    if let has = context.visitor.role, has >= role { return try await next(request, context) }
    throw Refusal(.forbidden, try await words(context.visitor))
  }

  private func words(_ visitor: Visitor) async throws -> String {
    if let has = visitor.role, visitor.csrf != nil {
      return "this needs the role \(role.rawValue), and \(visitor.name) has the role \(has.rawValue)"
    }
    if try await store.hasOperators() { return "only an operator may do this: log in" }
    return hasTokens
      ? "only an operator's token may change devices (--operator-token-file)"
      : "nobody may change devices here: start the collector with --operator-token-file"
  }
}

/// Refuses what a page of somebody else has made a browser send: cookies, and the passwords that a browser keeps, come
/// along with that too.
struct OriginMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: CollectorContext, next: (Request, CollectorContext) async throws -> Response
  ) async throws -> Response {
    guard request.method != .get, request.method != .head else { return try await next(request, context) }
    if let origin = request.headers[.origin], !Self.isOwn(origin, request) {
      throw Refusal(
        .forbidden,
        "this request comes from another page than the collector's own; behind a proxy, have it pass on Host")
    }
    if let csrf = context.visitor.csrf, request.headers[.godwitCSRF] != csrf {
      throw Refusal(.forbidden, "the request does not prove that it is this page's: reload the page")
    }
    return try await next(request, context)
  }

  private static func isOwn(_ origin: String, _ request: Request) -> Bool {
    guard let host = origin.split(separator: "/").last, origin.contains("://"),
      let own = request.head.authority ?? request.headers[.init("Host")!]
    else { return false }
    return host.lowercased() == own.lowercased()
  }
}

extension HTTPField.Name {
  static let godwitCSRF = Self("Godwit-CSRF")!
}
