import Hummingbird
import Logging
import ServiceLifecycle

/// Reads what is new of the fleet once for all who watch it.
struct FleetTeller: Service {
  /// Changes within so long go together.
  static let apart = Duration.seconds(1)

  let feed: FleetFeed
  let store: any FleetStorage
  let silentAfter_ms: Int64
  var targetVersion: AgentVersion?
  let now_ms: @Sendable () -> Int64
  var logger = Logger(label: "godwit-collector")

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      for await _ in feed.changes {
        await tell()
        try await Task.sleep(for: Self.apart)
      }
    }
  }

  private func tell() async {
    let names = feed.takeNames()
    do {
      // First, so that nobody is told anything whose session has ended.
      let passes = feed.passes
      let ended = passes.subtracting(try await store.inForce(passes, at: now_ms()))
      if !ended.isEmpty { feed.end(ended) }
      guard !names.isEmpty else { return }
      let vehicles = try await store.vehicles(
        named: names, at: now_ms(), silentAfter_ms: silentAfter_ms, target: targetVersion)
      let texts = vehicles.map { (ExactName($0.device), Response.jsonText($0)) }
      feed.tell(Dictionary(texts) { $1 })
    } catch is CancellationError {
    } catch {
      logger.error("what is new of the fleet cannot be read: \(error); the pages that are open ask anew")
      feed.endAll()
    }
  }
}
