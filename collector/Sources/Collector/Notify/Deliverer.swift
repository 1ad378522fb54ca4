import Logging
import ServiceLifecycle

/// Rings when something waits to be told.
struct Doorbell: Sendable {
  let rings: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func ring() { continuation.yield() }
}

/// Tells webhooks what has happened: each event until it was taken once, for three days at most. What waits is in the
/// database, so neither a restart nor a power cut loses any.
///
/// Each webhook has a task of its own while something is due for it, so that none waits for another one's receiver.
struct Deliverer: Service {
  /// So many requests to one webhook; mails go one after the other.
  static let atOnce = 8
  /// Retries and silence are looked for so often.
  var beat = Duration.seconds(15)
  var law = RetryLaw()

  let store: any Storage
  let bell: Doorbell
  let silentAfter_ms: Int64
  let web: any Outlet
  /// Nil: there is no mail here.
  let mail: (any Outlet)?
  let now_ms: @Sendable () -> Int64
  var logger = Logger(label: "godwit-collector")

  func run() async throws {
    let beats = Task {
      while true {
        bell.ring()
        try await Task.sleep(for: beat)
      }
    }
    defer { beats.cancel() }
    let busy = Locked(Set<Int64>())
    await withDiscardingTaskGroup { group in
      for await _ in bell.rings.cancelOnGracefulShutdown() {
        do {
          _ = try await store.announceSilence(at: now_ms(), after: silentAfter_ms)
          for (webhook, isMail) in try await store.dueWebhooks(at: now_ms())
          where busy.with({ $0.insert(webhook).inserted }) {
            group.addTask {
              let isDone = await tellAll(of: webhook, atOnce: isMail ? 1 : Self.atOnce)
              busy.with { _ = $0.remove(webhook) }
              // For what came in between, when it was still busy.
              if isDone { bell.ring() }
            }
          }
        } catch is CancellationError {
          // It ends, and the next start goes on.
          return
        } catch {
          // A full disk, say: what waits is tried at the next beat.
          logger.error("webhooks: \(error)")
        }
      }
    }
  }

  /// - Returns: false where it was kept from it: the next beat, or the next start, goes on.
  private func tellAll(of webhook: Int64, atOnce: Int) async -> Bool {
    do {
      while !Task.isShuttingDownGracefully {
        let due = try await store.dueDeliveries(of: webhook, at: now_ms(), limit: atOnce)
        if due.isEmpty { return true }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for delivery in due { group.addTask { try await tell(delivery) } }
          try await group.waitForAll()
        }
      }
    } catch is CancellationError {
    } catch {
      logger.error("webhook \(webhook): \(error)")
    }
    return false
  }

  private func tell(_ delivery: Delivery) async throws {
    let outlet = delivery.target.hasPrefix("mailto:") ? mail : web
    do {
      guard let outlet else { throw OutletError.failed("this collector sends no mail: see --sendmail") }
      try await outlet.tell(delivery, at: now_ms())
      try await store.delivered(delivery, at: now_ms())
    } catch let error as OutletError {
      let next_ms = law.next_ms(after: delivery.attempts + 1, made: delivery.made_ms, at: now_ms())
      let end = next_ms == nil ? ", and it is given up" : ""
      logger.warning("webhook \(delivery.webhook): attempt \(delivery.attempts + 1) failed, \(error)\(end)")
      try await store.failed(delivery, "\(error)", next: next_ms, at: now_ms())
    }
  }
}
