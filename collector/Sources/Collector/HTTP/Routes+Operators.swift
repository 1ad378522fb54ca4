import Hummingbird

/// People who may log in, and what was changed by whom: for admins.
extension Routes {
  func addOperators(to group: RouterGroup<CollectorContext>) {
    let routes = self
    group
      .get("operators") { _, _ in Response.json(try await routes.store.operators()) }
      .post("operators") { request, context in try await routes.addOperator(request, context) }
      .patch("operators/:name") { request, context in try await routes.changeOperator(request, context) }
      .delete("operators/:name") { request, context in
        let name = try Self.name(in: context)
        let opens = request.uri.queryParameters["open"] == "true"
        guard try await routes.store.removeOperator(name, opens: opens) else { throw Self.noOperator(name) }
        routes.feed.lookAgain()
        context.logger.notice("operator \(name): removed")
        if try await !routes.store.hasOperators() {
          context.logger.warning("that was the last operator: the collector asks nobody to log in again")
        }
        return Response(status: .noContent)
      }
      .get("audit") { request, _ in try await routes.audits(request) }
  }

  private static func noOperator(_ name: String) -> Refusal {
    Refusal(.notFound, "no such operator: \(name)")
  }

  private static func name(in context: CollectorContext) throws -> String {
    let name = try context.parameters.require("name")
    return name.removingPercentEncoding ?? name
  }

  private func addOperator(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let members = try Self.members(ofBody: try await Self.body(request))
    guard let name = members["name"]?.string else { throw Refusal.badBody("the body has no `name`") }
    if let fault = NameRule.fault(in: name, longest: 64) {
      throw Refusal.badBody("an operator's name has 1 to 64 characters: this one \(fault)")
    }
    guard let role = try Self.role(members["role"]) else { throw Refusal.badBody(Self.roles) }
    let operators = try await store.operators()
    // Whoever is not admin could not make another one, nor change what he has made.
    guard role == .admin || !operators.isEmpty else {
      throw Refusal(.conflict, "the first operator must be admin: nobody else could add the next")
    }
    let hash = try await hashed(members["password"], name: name)
    guard try await store.addOperator(name, role: role, hash, at: now_ms()) else {
      throw Refusal(.conflict, "there is an operator of this name")
    }
    feed.lookAgain()
    context.logger.notice("operator \(name): added as \(role.rawValue)")
    return Response.json(["name": name, "role": role.rawValue], status: .created)
  }

  private func changeOperator(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let name = try Self.name(in: context)
    let members = try Self.members(ofBody: try await Self.body(request))
    let role = try Self.role(members["role"])
    guard role != nil || members["password"] != nil else {
      throw Refusal.badBody("the body has neither `role` nor `password`")
    }
    let hash = members["password"] == nil ? nil : try await hashed(members["password"], name: name)
    guard try await store.changeOperator(name, role: role, hash, ifStill: nil, at: now_ms()) else {
      throw Self.noOperator(name)
    }
    feed.lookAgain()
    context.logger.notice("operator \(name): changed\(role.map { ", now \($0.rawValue)" } ?? "")")
    return Response(status: .noContent)
  }

  private static let roles = "`role` must be viewer, operator or admin"

  private static func role(_ value: JSONValue?) throws -> Role? {
    guard let value else { return nil }
    guard let role = value.string.flatMap(Role.init) else { throw Refusal.badBody(roles) }
    return role
  }

  private func audits(_ request: Request) async throws -> Response {
    let query = request.uri.queryParameters
    let before = try query["before"].map { text in
      guard let number = Int64(text) else {
        throw Refusal(.badRequest, "`before` must be a number of an entry")
      }
      return number
    }
    let device = query["device"].map { $0.removingPercentEncoding ?? String($0) }
    return Response.json(try await store.audits(device: device, before: before, limit: 200))
  }
}
