import Logging
import ServiceLifecycle

/// Deletes records that are older than they are kept, and makes room for those of the next weeks: at the start, and each
/// hour.
struct Keeper: Service {
  /// So many go in one transaction, so that uploads come between.
  static let atOnce = 1000

  let store: any Storage
  let law: KeepLaw
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

  /// Whole months where they are tables, and then what is left, record by record.
  ///
  /// - Returns: false: another collector is at it.
  @discardableResult
  func sweep() async -> Bool {
    do {
      guard try await store.dropMonths(law, at: now_ms(), log) else { return false }
      try await store.forgetSummaries(law, at: now_ms())
      for doomed in try await store.expired(law, at: now_ms()) {
        let count = try await store.deleteAll(doomed, at: now_ms()) ?? 0
        if count > 0 { log.deleted(count, doomed.device) }
      }
    } catch is CancellationError {
      return true
    } catch {
      logger.error("records that were kept long enough are not deleted: \(error); tried again in an hour")
    }
    return true
  }

  private var log: MonthLog {
    let logger = logger
    return MonthLog(
      deleted: { count, device in
        logger.notice("device \(device): \(count) records are deleted, kept long enough")
      },
      dropped: { logger.notice("the month \($0) is dropped, kept long enough") },
      busy: { month in
        logger.notice(
          "the month \(month) is not dropped, somebody is at work with it (a backup?); tried again in an hour"
        )
      })
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
