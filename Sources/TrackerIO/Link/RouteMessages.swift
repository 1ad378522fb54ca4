/// What the kernel reports about the network (rtnetlink(7)), as far as it matters for a way to the server.
public enum RouteNews: Equatable, Sendable {
  /// A link that is up and has its carrier, or not; the index is the interface's.
  case link(index: Int, works: Bool)
  /// An address that reaches beyond its own network.
  case address(index: Int, [UInt8], isThere: Bool)
  /// `way` is what distinguishes one default route from another: family, gateway, metric.
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

// The numbers of linux/rtnetlink.h, linux/if.h and linux/if_addr.h that are looked at, by their names there.

private enum RTM {
  static let (newLink, delLink) = (16, 17)
  static let (newAddress, delAddress) = (20, 21)
  static let (newRoute, delRoute) = (24, 25)
}
private enum RTMFlag { static let cloned = 0x200 }
private enum RTN { static let unicast = 1 }
private enum RTScope { static let universe = 0 }
private enum RTTable { static let main = 254 }
private enum RTA { static let (outInterface, gateway, priority, multipath, table) = (4, 5, 6, 9, 15) }
private enum IFA { static let (address, local) = (1, 2) }
private enum IFF { static let (up, loopback, lowerUp) = (0x1, 0x8, 0x10000) }

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
    case RTM.newLink, RTM.delLink: link(isThere: type == RTM.newLink)
    case RTM.newAddress, RTM.delAddress: address(isThere: type == RTM.newAddress)
    case RTM.newRoute, RTM.delRoute: route(isThere: type == RTM.newRoute)
    default: []
    }
  }

  /// struct ifinfomsg
  private func link(isThere: Bool) -> [RouteNews] {
    guard let index = body.number(Int32.self, at: 4), let flags = body.number(UInt32.self, at: 8) else {
      return []
    }
    if flags & IFF.loopback != 0 { return [] }
    let upWithCarrier = IFF.up | IFF.lowerUp
    return [.link(index: index, works: isThere && flags & upWithCarrier == upWithCarrier)]
  }

  /// struct ifaddrmsg
  private func address(isThere: Bool) -> [RouteNews] {
    let scope = body.number(UInt8.self, at: 3)
    guard scope == RTScope.universe, let index = body.number(UInt32.self, at: 4) else { return [] }
    let attributes = attributes(after: 8)
    // On a point-to-point link IFA_ADDRESS is the other end, and IFA_LOCAL ours.
    guard let address = attributes[IFA.local] ?? attributes[IFA.address] else { return [] }
    return [.address(index: index, Array(address), isThere: isThere)]
  }

  /// struct rtmsg
  private func route(isThere: Bool) -> [RouteNews] {
    let prefixLength = body.number(UInt8.self, at: 1)
    guard prefixLength == 0, body.number(UInt8.self, at: 7) == RTN.unicast,
      let flags = body.number(UInt32.self, at: 8), flags & RTMFlag.cloned == 0
    else { return [] }
    let attributes = attributes(after: 12)
    let table = attributes[RTA.table]?.number(UInt32.self, at: 0) ?? body.number(UInt8.self, at: 4)
    guard table == RTTable.main else { return [] }
    let way = Array(body.prefix(1)) + (attributes[RTA.gateway] ?? []) + (attributes[RTA.priority] ?? [])
    if let index = attributes[RTA.outInterface]?.number(UInt32.self, at: 0) {
      return [.defaultRoute(index: index, way: way, isThere: isThere)]
    }
    return hops(attributes[RTA.multipath] ?? []).map { .defaultRoute(index: $0, way: way, isThere: isThere) }
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
