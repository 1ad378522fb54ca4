import Foundation

/// A message that is to be stored.
struct MQTTMessage: Equatable, Sendable {
  var arrival: MQTTArrival
  /// Under which it is reported as settled.
  var ticket: Int
}

extension Upload {
  /// Reads a message as the body of a request. MQTT 3.1.1 has no headers: its first bytes say what it is.
  ///
  /// A device has no answer to learn from, so a bad record takes its neighbours along no longer.
  ///
  /// - Parameter badRecords: those that cannot be stored. Throws a ``Refusal`` where none can.
  init(device: String, message: [UInt8], badRecords: inout [Refusal]) throws {
    guard !message.isEmpty else { throw Refusal.badBody("the message is empty") }
    let encoding: ContentEncoding = message.starts(with: [0x1F, 0x8B]) ? .gzip : .identity
    let body = try encoding.decoded(message, limit: Routes.maxBody_bytes, tooLarge: Self.tooLargeMessage)
    var bad: [Refusal] = []
    let note = { (refusal: Refusal) in bad.append(refusal) }
    // No compact body begins like that: it would be a group, of field 15 or less, which protobuf no longer has.
    let isJSON = body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
    self =
      isJSON
      ? try Upload(device: device, schema: "geomony/1", batch: nil, body: body, badRecord: note)
      : try Upload(device: device, schema: CompactBatch.schema, batch: nil, compact: body, badRecord: note)
    badRecords = bad
  }

  static let tooLargeMessage = Refusal(
    .contentTooLarge,
    "the message is larger than \(Routes.maxBody_bytes >> 20) MiB: lower sync.max_batch_size")
}
