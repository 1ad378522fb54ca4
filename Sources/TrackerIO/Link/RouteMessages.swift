/// What the kernel tells of the network (rtnetlink(7)), as far as it matters for a way to the server.
public enum RouteNews: Equatable, Sendable {
  /// A link that is up and has its carrier, or not; the index is the interface's.
  case link(index: Int, works: Bool)
  /// An address that reaches beyond its own network.
  case address(index: Int, [UInt8], isThere: Bool)
  /// `way` is what tells one default route from another: family, gateway, metric.
  case defaultRoute(index: Int, way: [UInt8], isThere: Bool)
}

/// The binary form of the messages: headers and attributes as in linux/netlink.h and linux/rtnetlink.h, in the
/// machine's own byte order. Whatever does not fit is passed over.
public enum RouteMessages {
  public static func parse(_ bytes: [UInt8]) -> [RouteNews] {
    var news: [RouteNews] = []
    var rest = bytes[...]
    while let message = Message(rest) {
      news += message.news
      rest = rest.dropFirst(aligned(message.length))
    }
    return news
  }

  static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
  /// At `offset` from the slice's own beginning; nil beyond its end.
  fileprivate func number<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Int? {
    guard offset >= 0, offset + MemoryLayout<Number>.size <= count else { return nil }
    return withUnsafeBytes {
      Int(truncatingIfNeeded: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
  }
}

/// struct nlmsghdr with what follows it.
private struct Message {
  var length: Int
  var type: Int
  var body: ArraySlice<UInt8>

  static let headerLength = 16

  init?(_ bytes: ArraySlice<UInt8>) {
    guard let length = bytes.number(UInt32.self, at: 0), let type = bytes.number(UInt16.self, at: 4),
      length >= Message.headerLength, length <= bytes.count
    else { return nil }
    (self.length, self.type) = (length, type)
    body = bytes.dropFirst(Message.headerLength).prefix(length - Message.headerLength)
  }

  var news: [RouteNews] {
    switch type {
    case 16, 17: link(isThere: type == 16)  // RTM_NEWLINK, RTM_DELLINK
    case 20, 21: address(isThere: type == 20)  // RTM_NEWADDR, RTM_DELADDR
    case 24, 25: route(isThere: type == 24)  // RTM_NEWROUTE, RTM_DELROUTE
    default: []
    }
  }

  /// struct ifinfomsg
  private func link(isThere: Bool) -> [RouteNews] {
    guard let index = body.number(Int32.self, at: 4), let flags = body.number(UInt32.self, at: 8) else {
      return []
    }
    let isLoopback = flags & 0x8 != 0
    if isLoopback { return [] }
    let upWithCarrier = 0x1 | 0x10000  // IFF_UP, IFF_LOWER_UP
    return [.link(index: index, works: isThere && flags & upWithCarrier == upWithCarrier)]
  }

  /// struct ifaddrmsg
  private func address(isThere: Bool) -> [RouteNews] {
    guard body.number(UInt8.self, at: 3) == 0, let index = body.number(UInt32.self, at: 4) else { return [] }
    let attributes = attributes(after: 8)
    // On a point-to-point link IFA_ADDRESS is the other end, and IFA_LOCAL ours.
    guard let address = attributes[2] ?? attributes[1] else { return [] }
    return [.address(index: index, Array(address), isThere: isThere)]
  }

  /// struct rtmsg
  private func route(isThere: Bool) -> [RouteNews] {
    guard body.number(UInt8.self, at: 1) == 0, body.number(UInt8.self, at: 7) == 1,
      let flags = body.number(UInt32.self, at: 8), flags & 0x200 == 0  // a cache entry
    else { return [] }
    let attributes = attributes(after: 12)
    guard (attributes[15]?.number(UInt32.self, at: 0) ?? body.number(UInt8.self, at: 4)) == 254 else {
      return []
    }
    let way = Array(body.prefix(1)) + (attributes[5] ?? []) + (attributes[6] ?? [])
    if let index = attributes[4]?.number(UInt32.self, at: 0) {
      return [.defaultRoute(index: index, way: way, isThere: isThere)]
    }
    return hops(attributes[9] ?? []).map { .defaultRoute(index: $0, way: way, isThere: isThere) }
  }

  /// The interfaces of struct rtnexthop, for a route of several ways.
  private func hops(_ bytes: ArraySlice<UInt8>) -> [Int] {
    var indexes: [Int] = []
    var rest = bytes
    while let length = rest.number(UInt16.self, at: 0), let index = rest.number(Int32.self, at: 4),
      length >= 8
    {
      indexes.append(index)
      rest = rest.dropFirst(RouteMessages.aligned(length))
    }
    return indexes
  }

  /// struct rtattr: the values by their type.
  private func attributes(after fixed: Int) -> [Int: ArraySlice<UInt8>] {
    var found: [Int: ArraySlice<UInt8>] = [:]
    var rest = body.dropFirst(RouteMessages.aligned(fixed))
    while let length = rest.number(UInt16.self, at: 0), let type = rest.number(UInt16.self, at: 2),
      length >= 4,
      length <= rest.count
    {
      found[type] = rest.dropFirst(4).prefix(length - 4)
      rest = rest.dropFirst(RouteMessages.aligned(length))
    }
    return found
  }
}
