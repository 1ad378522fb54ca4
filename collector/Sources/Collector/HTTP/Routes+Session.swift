import Hummingbird

/// Logging in and out, and what the page is told first.
extension Routes {
  struct SessionAnswer: Encodable {
    /// Left out while nobody is let in.
    var name: String?
    var role: Role?
    /// To be sent as `Godwit-CSRF` with each change.
    var csrf: String?
    /// Whether there is anybody who could log in.
    var accounts: Bool
    /// Left out while nobody is let in.
    var map: MapSource.Shown?
    var can_simulate: Bool?
    /// How long records of devices stay that have no span of their own; left out: for ever.
    var keep_days: Int?
  }

  func addSessions(to router: Router<CollectorContext>) {
    let routes = self
    let path = RouterPath(Self.sessionPath)
    router.get(path) { _, context in Response.json(try await routes.answer(context.visitor)) }
    router.post(path) { request, context in try await routes.logIn(request, context) }
    router.delete(path) { request, _ in try await routes.logOut(request) }
    router.put("/v1/session/password") { request, context in
      try await routes.changeOwnPassword(request, context)
    }
  }

  private func answer(_ visitor: Visitor) async throws -> SessionAnswer {
    let isIn = visitor.role != nil
    return SessionAnswer(
      name: isIn ? visitor.name : nil, role: visitor.role, csrf: visitor.csrf,
      accounts: try await store.hasOperators(), map: isIn ? map.shown : nil,
      can_simulate: isIn && simulator != nil && schema != nil ? true : nil, keep_days: isIn ? keepDays : nil)
  }

  private func logIn(_ request: Request, _ context: CollectorContext) async throws -> Response {
    // A form of another site can send neither this type nor, without being asked first, any but three.
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
      throw Refusal(.unsupportedMediaType, "a login is JSON: send `Content-Type: application/json`")
    }
    let body = try await Self.body(request, most_bytes: Self.maxOpenBody_bytes)
    let members = try Self.members(ofBody: body)
    guard let name = members["name"]?.string, let password = members["password"]?.string,
      name.unicodeScalars.count <= 64, password.unicodeScalars.count <= PasswordRule.lengths.upperBound
    else { throw Refusal.badBody("the body needs the texts `name` and `password`") }
    let hash = try await store.passwordHash(of: name)
    let attempt = LoginAttempt(
      name: name, network: context.sender(of: request)?.network ?? "",
      browser: KnownBrowser.claim(in: request, of: name, with: hash, at: now_ms()))
    if let wait_s = try await store.loginWait_s(for: attempt, at: now_ms()) {
      context.logger.warning("a login is turned away: too many passwords were wrong")
      var response = Response.json(
        ["error": "too many passwords were wrong: try again in \((wait_s + 59) / 60) min"],
        status: .tooManyRequests)
      response.headers[.retryAfter] = String(wait_s)
      return response
    }
    let desk = attempt.browser == nil ? passwords : knownPasswords
    guard try await desk.isRight(password, for: hash), let hash else {
      try await store.loginFailed(attempt, at: now_ms())
      context.logger.warning("a login is refused: name or password is wrong")
      // A name that nobody has may be a password that slipped into the wrong field.
      _ = try await store.audit(
        who: hash == nil ? "somebody" : name, action: "login", device: nil, status: 403, at: now_ms())
      throw Refusal(.forbidden, "name or password is wrong")
    }
    try await store.loginSucceeded(attempt)
    return try await open(name, with: hash, isSecure: Self.isSecure(request), context)
  }

  /// - Parameter password: the one that he has proved to know. Meanwhile it may have been changed.
  private func open(
    _ name: String, with password: PasswordHash, isSecure: Bool, _ context: CollectorContext
  ) async throws -> Response {
    let secret = Session.newSecret()
    let opened = try await store.openSession(Secret.hash(secret), of: name, with: password, at: now_ms())
    guard let session = opened else {
      throw Refusal(.forbidden, "name or password is wrong")
    }
    _ = try await store.audit(who: name, action: "login", device: nil, status: 200, at: now_ms())
    context.logger.notice("operator \(name): logged in")
    let visitor = Visitor(name: session.name, role: session.role, csrf: Session.csrf(of: secret))
    var response = Response.json(try await answer(visitor))
    let mark = KnownBrowser.mark(of: name, with: password, at: now_ms())
    response.headers[values: .setCookie] = [
      Session.header(secret, isSecure: isSecure), KnownBrowser.header(mark, isSecure: isSecure),
    ]
    return response
  }

  private func logOut(_ request: Request) async throws -> Response {
    if let secret = Session.secret(in: request) { try await store.endSession(Secret.hash(secret)) }
    feed.lookAgain()
    var response = Response(status: .noContent)
    response.headers[.setCookie] = Session.header(nil, isSecure: Self.isSecure(request))
    return response
  }

  /// A browser names the page that it logs in from; TLS ends at the proxy.
  private static func isSecure(_ request: Request) -> Bool {
    request.headers[.origin]?.lowercased().hasPrefix("https://") == true
  }

  private func changeOwnPassword(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let name = context.visitor.name
    guard let csrf = context.visitor.csrf else {
      throw Refusal(.forbidden, "only who is logged in has a password of his own")
    }
    let body = try await Self.body(request, most_bytes: Self.maxOpenBody_bytes)
    let members = try Self.members(ofBody: body)
    guard let old = members["old"]?.string, old.unicodeScalars.count <= PasswordRule.lengths.upperBound else {
      throw Refusal.badBody("the body needs the texts `old` and `password`")
    }
    let attempt = LoginAttempt(name: name, network: "", browser: csrf)
    if let wait_s = try await store.loginWait_s(for: attempt, at: now_ms()) {
      throw Refusal(.tooManyRequests, "too many passwords were wrong: try again in \((wait_s + 59) / 60) min")
    }
    let oldHash = try await store.passwordHash(of: name)
    guard try await knownPasswords.isRight(old, for: oldHash), let oldHash else {
      try await store.loginFailed(attempt, at: now_ms())
      throw Refusal(.forbidden, "the old password is wrong")
    }
    let hash = try await hashed(members["password"], name: name)
    // An admin may have set another one meanwhile.
    guard try await store.changeOperator(name, role: nil, hash, ifStill: oldHash, at: now_ms()) else {
      throw Refusal(.forbidden, "the old password is wrong")
    }
    feed.lookAgain()
    _ = try await store.audit(who: name, action: "own password", device: nil, status: 200, at: now_ms())
    return try await open(name, with: hash, isSecure: Self.isSecure(request), context)
  }

  /// - Parameter value: the password that somebody has chosen.
  func hashed(_ value: JSONValue?, name: String) async throws -> PasswordHash {
    guard let password = value?.string else { throw Refusal.badBody("the body has no text `password`") }
    if let problem = PasswordRule.problem(of: password, name: name) { throw Refusal.badBody(problem) }
    return try await knownPasswords.hash(password)
  }
}
