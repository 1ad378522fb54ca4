import HTTPTypes
import Hummingbird

/// Lets devices send. It stands at their route itself, so that no way of writing the path leads past it.
///
/// A device comes with a token as `Bearer`. Its own lets it send under its own name, and opens nothing else.
struct UploadMiddleware: RouterMiddleware {
  let access: Access
  let store: any Storage
  let figures: IntakeFigures
  let now_ms: @Sendable () -> Int64

  func handle(
    _ request: Request, context: CollectorContext, next: (Request, CollectorContext) async throws -> Response
  ) async throws -> Response {
    do {
      let response = try await answer(request, context, next)
      figures.count(response.status)
      return response
    } catch let cut as BodyCutOff {
      figures.countCut()
      throw cut
    } catch {
      figures.count(Refusal.status(of: error))
      throw error
    }
  }

  private func answer(
    _ request: Request, _ context: CollectorContext,
    _ next: (Request, CollectorContext) async throws -> Response
  ) async throws -> Response {
    guard try await isLetIn(request, context) else {
      return try await Unauthorised.response(to: request, store)
    }
    return try await next(request, context)
  }

  private func isLetIn(_ request: Request, _ context: CollectorContext) async throws -> Bool {
    if access.isControlSocket { return true }
    guard access.asksForTokens else {
      // No device names an origin: a page has made this.
      if request.headers[.origin] != nil, !LocalHost.isNamed(in: request) { throw LocalHost.refusal }
      return true
    }
    guard let candidate = request.headers[.authorization].flatMap(Tokens.candidate) else { return false }
    if access.tokens?.contains(candidate) == true || access.operators?.contains(candidate) == true {
      return true
    }
    guard let owner = try await store.owner(ofToken: candidate) else { return false }
    let device = try Routes.device(request)
    guard ExactName(device) == ExactName(owner.device) else {
      context.logger.warning("device \(owner.device): its token \(owner.number) came with the name \(device)")
      throw Refusal(
        .forbidden,
        "this token belongs to another device than Godwit-Device names: correct device_id, or the token")
    }
    try await store.wasUsed(owner, at: now_ms())
    return true
  }
}
