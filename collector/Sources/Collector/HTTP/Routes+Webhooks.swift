import Foundation
import Hummingbird

/// Who is told of events: for admins.
extension Routes {
  struct NewWebhook: Codable, Equatable {
    var number: Int64
    /// Signs what is sent; nobody is told it again.
    var secret: String
  }

  func addWebhooks(to group: RouterGroup<CollectorContext>) {
    let routes = self
    group
      .get("webhooks") { _, _ in Response.json(try await routes.store.webhooks()) }
      .post("webhooks") { request, context in try await routes.addWebhook(request, context) }
      .delete("webhooks/:number") { _, context in
        let number = try Self.number(in: context, of: "a webhook")
        guard try await routes.store.removeWebhook(number) else {
          throw Refusal(.notFound, "no such webhook")
        }
        context.logger.notice("webhook \(number): removed")
        return Response(status: .noContent)
      }
  }

  private func addWebhook(_ request: Request, _ context: CollectorContext) async throws -> Response {
    let members = try Self.members(ofBody: try await Self.body(request))
    guard let target = members["target"]?.string, Self.isTarget(target) else {
      throw Refusal.badBody("`target` must be an address: https://…, http://… or mailto:NAME@HOST")
    }
    let kinds = FleetEvent.Kind.allCases
    let events = members["events"]?.elements?.map { $0.string.flatMap(FleetEvent.Kind.init) } ?? kinds
    guard !events.isEmpty, events.allSatisfy({ $0 != nil }) else {
      throw Refusal.badBody("`events` must be some of \(kinds.map(\.rawValue).joined(separator: ", "))")
    }
    let secret = Secret.newToken()
    let wanted = kinds.filter { events.contains($0) }
    guard let number = try await store.addWebhook(target, wanted, secret: secret, at: now_ms()) else {
      throw Refusal(.conflict, "there are \(StoredWebhook.most) webhooks: remove one first")
    }
    context.logger.notice("webhook \(number): added")
    return Response.json(NewWebhook(number: number, secret: secret), status: .created)
  }

  private static func isTarget(_ text: String) -> Bool {
    let isPlain = text.utf8.count <= 2000 && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    guard isPlain, let url = URL(string: text) else { return false }
    switch url.scheme {
    case "http", "https": return url.host?.isEmpty == false
    case "mailto":
      let parts = text.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
      return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && !$0.contains { ",;<>?".contains($0) } }
    default: return false
    }
  }
}
