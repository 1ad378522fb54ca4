import Hummingbird
import Logging
import ServiceLifecycle

/// Reads what is new of the fleet once for all who watch it.
struct FleetTeller: Service {
  /// Changes within so long go together.
  static let apart = Duration.seconds(1)

  let feed: FleetFeed
  let fleet: FleetReader
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
      let ended = passes.subtracting(try await fleet.store.inForce(passes, at: fleet.now_ms()))
      if !ended.isEmpty { feed.end(ended) }
      guard !names.isEmpty else { return }
      let vehicles = try await fleet.vehicles(named: names)
      let texts = vehicles.map { (ExactName($0.device), Response.jsonText($0)) }
      feed.tell(Dictionary(texts) { $1 })
    } catch is CancellationError {
    } catch {
      logger.error("what is new of the fleet cannot be read: \(error); the pages that are open ask anew")
      feed.endAll()
    }
  }
}
