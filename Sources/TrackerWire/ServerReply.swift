/// What a server answered, as far as the device understands it.
public struct ServerReply: Equatable, Sendable {
  /// The uuids that the server says it has stored; nil when it does not say.
  public var ack: [String]?

  public init(ack: [String]? = nil) { self.ack = ack }

  /// nil when `body` is no JSON object: not our server, perhaps the page of a captive portal.
  ///
  /// An `ack` that is anything but an array of strings acknowledges nothing.
  public static func parse(body: [UInt8]) -> ServerReply? {
    guard let value = JSONReader.parse(body), case .object = value else { return nil }
    guard let ack = value["ack"] else { return ServerReply() }
    let values = ack.array ?? []
    let uuids = values.compactMap(\.string)
    return ServerReply(ack: uuids.count == values.count ? uuids : [])
  }
}
