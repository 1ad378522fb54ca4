import Hummingbird
import Logging

/// Stores messages as if they were requests, and says which are settled.
struct MQTTStorer: Sendable {
  /// After a refusal of the database: doubled each time, up to the longest.
  static let firstPause_ms = 500
  static let longestPause_ms = 30_000

  let topic: MQTTTopic
  /// Whether devices are told what is stored.
  let confirms: Bool
  let intake: Intake
  let figures: MQTTFigures
  var logger = Logger(label: "godwit-collector")
  /// Milliseconds; throws when the collector ends.
  var pause: @Sendable (Int) async throws -> Void = { try await Task.sleep(for: .milliseconds($0)) }
  /// A device that sends nothing but nonsense does not fill the log.
  private let complaints = EnrolmentLimit()

  init(topic: MQTTTopic, confirms: Bool, intake: Intake, figures: MQTTFigures) {
    (self.topic, self.confirms, self.intake, self.figures) = (topic, confirms, intake, figures)
  }

  /// Those of one device in their order, so that its newest status is the one that stays; those of several devices share
  /// a commit.
  ///
  /// - Parameter settled: is called for each, unless the collector ends before.
  func store(_ messages: [MQTTMessage], settled: @escaping @Sendable (Int, MQTTRequest?) -> Void) async {
    let topics = Dictionary(grouping: messages) { $0.arrival.topic }
    await withDiscardingTaskGroup { group in
      for messages in topics.values {
        group.addTask {
          for message in messages {
            do {
              settled(message.ticket, try await settle(message.arrival))
            } catch {
              // It ends. What is not settled comes again.
              return
            }
          }
        }
      }
    }
  }

  /// - Returns: what the device is told. Throws only when the collector ends.
  private func settle(_ arrival: MQTTArrival) async throws -> MQTTRequest? {
    do {
      guard let device = try topic.device(of: arrival.topic) else {
        figures.count(.otherTopic)
        complain("a message came on a topic that is not that of --mqtt-topic; it is not stored")
        return nil
      }
      guard arrival.tooLarge_bytes == nil else { throw Upload.tooLargeMessage }
      var bad: [Refusal] = []
      let upload = try Upload(device: device, message: arrival.payload, badRecords: &bad)
      let receipt = try await stored(upload)
      if let first = bad.first {
        complain("device \(device): \(bad.count) records of a message are not stored: \(first.message)")
      }
      figures.count(.stored, receipt, bad: bad.count)
      return answer(receipt, bad, on: arrival.topic)
    } catch let refusal as Refusal {
      figures.count(refusal.status == .contentTooLarge ? .tooLarge : .malformed)
      complain("a message of \(Self.sender(arrival, topic)) is not stored: \(refusal.message)")
      return nil
    }
  }

  /// However long the database refuses: what is not stored is not confirmed.
  private func stored(_ upload: Upload) async throws -> Receipt {
    var pause_ms = Self.firstPause_ms
    while true {
      do {
        return try await intake.take(upload, logger)
      } catch let refusal as Refusal {
        throw refusal
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        logger.error(
          "a message of device \(upload.device) waits for the database, and is tried again in \(pause_ms) ms: \(error)"
        )
      }
      figures.held(1)
      defer { figures.held(-1) }
      try await pause(pause_ms)
      pause_ms = min(2 * pause_ms, Self.longestPause_ms)
    }
  }

  /// As over HTTP, with `refused` for what will never be stored.
  private func answer(_ receipt: Receipt, _ bad: [Refusal], on topic: String) -> MQTTRequest? {
    guard confirms else { return nil }
    var receipt = receipt
    let refused = bad.compactMap { refusal in
      refusal.uuid.map { RefusedRecord(uuid: $0, code: "bad_record", reason: refusal.message) }
    }
    if !refused.isEmpty { receipt.refused = (receipt.refused ?? []) + refused }
    let text = Response.objectText(receipt, adding: receipt.config.map { ["config": $0] } ?? [:])
    return text.map { .publish(topic: topic + "/ack", payload: Array($0.utf8)) }
  }

  private static func sender(_ arrival: MQTTArrival, _ topic: MQTTTopic) -> String {
    (try? topic.device(of: arrival.topic)).flatMap { $0 }.map { "device \($0)" } ?? "a device without a name"
  }

  private func complain(_ words: String) {
    switch complaints.refused(at: intake.now_ms()) {
    case .said: logger.warning("MQTT: \(words)")
    case .tooMany(isFirst: true, _):
      logger.warning(
        "MQTT: more messages than \(EnrolmentLimit.most) a minute are not stored; /metrics counts them")
    case .tooMany: break
    }
  }
}
