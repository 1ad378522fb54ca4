import Logging

/// Stores what devices send, whichever way it has come, and tells those who wait for it.
struct Intake: Sendable {
  let store: any RecordStorage
  let feed: FleetFeed
  let bell: Doorbell
  var figures = IntakeFigures()
  /// Unix milliseconds.
  let now_ms: @Sendable () -> Int64

  /// Returns when it is durable. What a person should know of it goes into the log.
  func take(_ upload: Upload, _ logger: Logger) async throws -> Receipt {
    let (receipt, device) = (try await store.store(upload, at: now_ms()), upload.device)
    figures.count(receipt)
    if upload.hasTooLongStatus {
      figures.countLongStatus()
      logger.warning(
        "device \(device): its status has more than \(Upload.mostStatus_bytes >> 10) KiB and is not stored")
    }
    feed.publish(device)
    if let count = receipt.toTell, count > 0 { bell.ring() }
    if let queues = receipt.newlyAtOnce {
      logger.warning(
        "device \(device): \(queues) queues have records of the same time: do two devices share this name?")
    }
    if let refused = receipt.refused {
      logger.warning("device \(device): \(refused.count) records refused: \(refused[0].reason)")
    }
    return receipt
  }
}
