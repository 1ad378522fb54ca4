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
      who: context.visitor.name,
      action: "\(request.method.rawValue) \(RequestPath(request.uri.path).text)",
      device: context.parameters.get("device").map { $0.removingPercentEncoding ?? $0 }, status: nil,
      at: now_ms())
    let response: Response
    do {
      response = try await next(request, context)
    } catch {
      await close(number, as: error)
      throw error
    }
    try await store.closeAudit(number, status: response.status.code)
    return response
  }

  /// Also where the request itself was given up, which would give up this with it. Where the database takes nothing at all
  /// the entry stays open.
  private func close(_ number: Int64, as error: any Error) async {
    let store = store
    await Task { try? await store.closeAudit(number, status: Refusal.status(of: error).code) }.value
  }
}
