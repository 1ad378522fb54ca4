import Hummingbird

/// Writes down each change before it is made, and then how it was answered: there is no change without its entry, also
/// where the power goes between the two.
struct AuditMiddleware: RouterMiddleware {
  let store: any Storage
  let now_ms: @Sendable () -> Int64

  func handle(
    _ request: Request, context: CollectorContext, next: (Request, CollectorContext) async throws -> Response
  ) async throws -> Response {
    guard request.method != .get, request.method != .head else { return try await next(request, context) }
    let number = try await store.audit(
      who: context.visitor.name, action: "\(request.method.rawValue) \(request.uri.path)",
      device: context.parameters.get("device").map { $0.removingPercentEncoding ?? $0 }, status: nil,
      at: now_ms())
    do {
      let response = try await next(request, context)
      try await store.closeAudit(number, status: response.status.code)
      return response
    } catch let refusal as Refusal {
      try await store.closeAudit(number, status: refusal.status.code)
      throw refusal
    }
  }
}
