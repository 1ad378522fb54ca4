import TrackerBase

/// Whether bodies go compressed: the setting, what the server says, and how it took the ones before.
///
/// A server that cannot read them must cost neither records nor requests for good: what it refuses goes once more
/// as it is, and a server that takes it then gets plain bodies for the rest of the process.
public struct GzipChoice: Equatable, Sendable {
  public enum State: Equatable, Sendable {
    /// The server has not said that it takes them.
    case unasked
    /// Announced or set, but not yet seen. `drops` of them in a row met a connection that ended without a reply.
    case hopeful(drops: Int)
    /// A compressed body was answered by 400, and the same body is on its way plain, to see which was at fault.
    case doubted
    /// The server has taken one.
    case proven
    /// Never again in this process, or never at all.
    case refused
  }

  public private(set) var state: State

  /// Shorter bodies fit into one packet either way.
  static let leastBody_bytes = 500
  /// Some servers answer what they cannot read by hanging up.
  static let mostDrops = 3

  public init(setting: SyncSettings.Gzip, format: SyncSettings.Format) {
    switch setting {
    case .auto where format.traits.impliesGzip: state = .hopeful(drops: 0)
    case .auto: state = .unasked
    case .always: state = .hopeful(drops: 0)
    case .never: state = .refused
    }
  }

  public func isWanted(forBodyOf bytes: Int) -> Bool {
    switch state {
    case .hopeful, .proven: bytes >= GzipChoice.leastBody_bytes
    case .unasked, .doubted, .refused: false
    }
  }

  /// - Parameters:
  ///   - announced: the reply says that the server takes gzip.
  ///   - wasCompressed: what was sent.
  ///   - ack: what counts as taken.
  /// - Returns: whether the same body should go once more at once, plain.
  public mutating func replied(
    _ reply: UploadReply, announced: Bool, wasCompressed: Bool, ack: SyncSettings.Acknowledgement = .auto
  ) -> Bool {
    let isTaken = reply.verdict(ack) == .acknowledged
    if wasCompressed { return compressedBodyMet(reply, isTaken: isTaken) }
    switch state {
    case .unasked: if announced, isTaken { state = .hopeful(drops: 0) }
    case .doubted: state = isTaken ? .refused : .hopeful(drops: 0)
    case .hopeful, .proven, .refused: break
    }
    return false
  }

  private mutating func compressedBodyMet(_ reply: UploadReply, isTaken: Bool) -> Bool {
    switch (reply.status, state) {
    case (415, _): state = .refused
    // It took others: then it is the records.
    case (400, .proven): return false
    case (400, _): state = .doubted
    case (0, .hopeful(let drops)) where reply.failure == .dropped:
      state = drops + 1 < GzipChoice.mostDrops ? .hopeful(drops: drops + 1) : .refused
      return false
    case (_, .unasked), (_, .hopeful), (_, .doubted), (_, .proven), (_, .refused):
      if isTaken { state = .proven }
      return false
    }
    // A server that asks for time gets it.
    return reply.retryAfter_s == nil
  }

  /// Whether a reply's `Accept-Encoding` names gzip (RFC 9110, 12.5.3; in replies by RFC 7694).
  public static func isNamed(in acceptEncoding: String) -> Bool {
    acceptEncoding.lowercased().split(separator: ",").contains { element in
      let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      let isRefused = parts.dropFirst().contains { ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
      return parts.first == "gzip" && !isRefused
    }
  }
}
