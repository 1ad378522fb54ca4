/// What a broker says to a subscriber (MQTT 3.1.1).
enum MQTTReply: Equatable, Sendable {
  case connack(isKept: Bool, code: UInt8)
  case suback(id: UInt16, code: UInt8)
  case publish(MQTTArrival)
  case pingresp
}

/// A message of a topic.
struct MQTTArrival: Equatable, Sendable {
  var topic: String
  /// Empty where `tooLarge_bytes` says how much there was.
  var payload: [UInt8]
  /// To be confirmed with it; nil with QoS 0.
  var id: UInt16?
  /// Of a payload that is larger than any that is taken, and was thrown away as it came.
  var tooLarge_bytes: Int?
}

/// Why what came is nothing that a broker may say. A connection ends with it.
enum MQTTError: Error, Equatable, Sendable, CustomStringConvertible {
  /// More than four bytes of length (2.2.3).
  case badLength
  /// - Parameter first: of the packet.
  case unexpected(first: UInt8)
  case malformed(String)
  case tooLong(String, bytes: Int)
  /// Nothing was subscribed to with it.
  case qos2

  var description: String {
    switch self {
    case .badLength: "a packet's length has more than four bytes"
    case .unexpected(let first): "a packet that begins with \(first) came where none of that kind may come"
    case .malformed(let kind): "a malformed \(kind) came"
    case .tooLong(let kind, let bytes): "a \(kind) of \(bytes) bytes came"
    case .qos2: "a message with QoS 2 came, and QoS 1 was subscribed to"
    }
  }
}
