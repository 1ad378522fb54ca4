import Logging
import ServiceLifecycle

/// Deletes records that are older than they are kept: at the start, and each hour.
struct Keeper: Service {
  /// So many go in one transaction, so that uploads come between.
  static let atOnce = 1000

  let store: any Storage
  /// Nil: what has no span of its own stays.
  let keepDays: Int?
  var beat = Duration.seconds(3600)
  let now_ms: @Sendable () -> Int64
  var logger = Logger(label: "godwit-collector")

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        await sweep()
        try await Task.sleep(for: beat)
      }
    }
  }

  func sweep() async {
    do {
      for doomed in try await store.expired(usualDays: keepDays, at: now_ms()) {
        let count = try await store.deleteAll(doomed, at: now_ms()) ?? 0
        if count > 0 {
          logger.notice("device \(doomed.device): \(count) records are deleted, kept long enough")
        }
      }
    } catch is CancellationError {
      return
    } catch {
      logger.error("records that were kept long enough are not deleted: \(error); tried again in an hour")
    }
  }
}

extension RetentionStorage {
  /// - Returns: how many are gone; nil if the device is unknown.
  func deleteAll(_ doomed: Doomed, at now_ms: Int64) async throws -> Int? {
    var sum = 0
    while true {
      try Task.checkCancellation()
      guard let count = try await deleteRecords(doomed, limit: Keeper.atOnce, at: now_ms) else { return nil }
      sum += count
      if count < Keeper.atOnce { return sum }
    }
  }
}

extension CollectorOptions {
  public static let daysKept = 1...36_500
}
