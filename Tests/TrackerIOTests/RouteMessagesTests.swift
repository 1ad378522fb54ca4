import Testing

@testable import TrackerIO

@Suite("The kernel's messages on links, addresses and routes")
struct RouteMessagesTests {
  @Test("a link works that is up and has its carrier; loopback is none")
  func link() {
    #expect(parse(.link(3, flags: 0x1_1043)) == [.link(index: 3, works: true)])
    #expect(parse(.link(3, flags: 0x1003)) == [.link(index: 3, works: false)])
    #expect(parse(.link(3, flags: 0x1_0042)) == [.link(index: 3, works: false)])
    #expect(parse(.link(3, flags: 0x1_1043, isGone: true)) == [.link(index: 3, works: false)])
    #expect(parse(.link(1, flags: 0x1_0049)) == [])
  }

  @Test("an address counts that reaches beyond its network, ours and not the other end's")
  func address() {
    let attributes: [(Int, [UInt8])] = [(1, [10, 0, 0, 1]), (2, [10, 0, 0, 2])]
    #expect(
      parse(.address(3, scope: 0, attributes)) == [.address(index: 3, [10, 0, 0, 2], isThere: true)])
    let other: [(Int, [UInt8])] = [(1, [10, 0, 0, 1])]
    #expect(
      parse(.address(3, scope: 0, other, isGone: true)) == [
        .address(index: 3, [10, 0, 0, 1], isThere: false)
      ]
    )
    #expect(parse(.address(3, scope: 253, attributes)) == [])
    #expect(parse(.address(3, scope: 0, [])) == [])
  }

  @Test("a default route of the main table counts, also with several ways; others do not")
  func route() {
    let gateway: [(Int, [UInt8])] = [(5, [10, 0, 0, 1]), (4, [3, 0, 0, 0])]
    let way: [UInt8] = [2, 10, 0, 0, 1]
    #expect(parse(.route(gateway)) == [.defaultRoute(index: 3, way: way, isThere: true)])
    #expect(parse(.route(gateway, isGone: true)) == [.defaultRoute(index: 3, way: way, isThere: false)])
    #expect(parse(.route(gateway, prefix: 24)) == [])
    #expect(parse(.route(gateway, table: 255)) == [])
    #expect(parse(.route(gateway, type: 7)) == [])
    #expect(parse(.route(gateway, flags: 0x200)) == [])
    #expect(parse(.route(gateway + [(15, [1, 1, 0, 0])])) == [])
    let hops: [UInt8] = [8, 0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0]
    #expect(
      parse(.route([(9, hops)])) == [
        .defaultRoute(index: 3, way: [2], isThere: true), .defaultRoute(index: 4, way: [2], isThere: true),
      ])
  }

  @Test("several messages in one datagram are taken in their order, unknown ones passed over")
  func several() {
    let bytes =
      KernelMessage.link(3, flags: 0).bytes + KernelMessage(type: 99, body: [1, 2, 3]).bytes
      + KernelMessage.link(4, flags: 0).bytes
    #expect(
      RouteMessages.parse(bytes) == [.link(index: 3, works: false), .link(index: 4, works: false)])
  }

  @Test("whatever is cut off, too long or made up is passed over")
  func garbage() {
    let whole =
      KernelMessage.route([(5, [10, 0, 0, 1]), (4, [3, 0, 0, 0])]).bytes
      + KernelMessage.address(3, scope: 0, [(2, [10, 0, 0, 2])]).bytes
    for length in 0..<whole.count { #expect(RouteMessages.parse(Array(whole.prefix(length))).count <= 1) }
    var random = SystemRandomNumberGenerator()
    for _ in 1...20_000 {
      var bytes = whole
      for _ in 1...4 { bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255) }
      #expect(RouteMessages.parse(bytes).count <= 16)
    }
    #expect(RouteMessages.parse([0, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) == [])
    #expect(RouteMessages.parse([UInt8](repeating: 255, count: 4096)) == [])
    #expect(RouteMessages.parse([UInt8](repeating: 0, count: 4096)) == [])
  }

  private func parse(_ message: KernelMessage) -> [RouteNews] { RouteMessages.parse(message.bytes) }
}

@Suite("What is a new way to the server")
struct LinkMemoryTests {
  private let route = RouteNews.defaultRoute(index: 3, way: [2, 10], isThere: true)
  private let address = RouteNews.address(index: 3, [10, 0, 0, 2], isThere: true)

  @Test("a default route that comes, not one that is reported again")
  func route3() {
    var memory = LinkMemory()
    #expect(hears(route, &memory))
    #expect(!hears(route, &memory))
    #expect(!hears(.defaultRoute(index: 3, way: [2, 10], isThere: false), &memory))
    #expect(hears(route, &memory))
  }

  @Test("an address only on the interface that the settings name")
  func addresses() {
    var memory = LinkMemory()
    #expect(!hears(address, &memory))
    memory = LinkMemory()
    #expect(!hears(address, only: 4, &memory))
    memory = LinkMemory()
    #expect(hears(address, only: 3, &memory))
    #expect(!hears(address, only: 3, &memory))
    memory = LinkMemory()
    #expect(!hears(route, only: 4, &memory))
    // The interface is not there: nothing else counts.
    memory = LinkMemory()
    #expect(!hears(route, only: 0, &memory))
  }

  @Test("a link whose carrier comes back, with the routes that went in silence")
  func carrier() {
    var memory = LinkMemory()
    _ = hears(route, &memory)
    #expect(!hears(.link(index: 3, works: true), &memory))
    #expect(!hears(.link(index: 3, works: false), &memory))
    #expect(hears(.link(index: 3, works: true), &memory))
    #expect(!hears(.link(index: 3, works: true), &memory))
    #expect(hears(route, &memory))
    // An address that goes takes its routes along.
    #expect(!hears(.address(index: 3, [10, 0, 0, 2], isThere: false), &memory))
    #expect(hears(route, &memory))
  }

  @Test("ten thousand interfaces do not fill the memory")
  func bounded() {
    var memory = LinkMemory()
    for index in 1...10_000 {
      _ = hears(.defaultRoute(index: index, way: [2], isThere: true), &memory)
      _ = hears(.link(index: index, works: false), &memory)
    }
    #expect("\(memory)".utf8.count < 20_000)
  }

  private func hears(_ news: RouteNews, only index: Int? = nil, _ memory: inout LinkMemory) -> Bool {
    memory.heard(news, only: index, isLimited: index != nil)
  }
}

/// One message as linux/rtnetlink.h lays it out.
struct KernelMessage {
  var type: Int
  var body: [UInt8]

  var bytes: [UInt8] {
    let padding = [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    return little(16 + body.count, 4) + little(type, 2) + [UInt8](repeating: 0, count: 10) + body + padding
  }

  static func link(_ index: Int, flags: Int, isGone: Bool = false) -> KernelMessage {
    let fixed: [UInt8] = [0, 0, 1, 0]
    return KernelMessage(
      type: isGone ? 17 : 16, body: fixed + little(index, 4) + little(flags, 4) + little(0, 4))
  }

  static func address(
    _ index: Int, scope: UInt8, _ attributes: [(Int, [UInt8])], isGone: Bool = false
  ) -> KernelMessage {
    let fixed: [UInt8] = [2, 24, 0, scope]
    return KernelMessage(type: isGone ? 21 : 20, body: fixed + little(index, 4) + written(attributes))
  }

  static func route(
    _ attributes: [(Int, [UInt8])], prefix: UInt8 = 0, table: UInt8 = 254, type: UInt8 = 1, flags: Int = 0,
    isGone: Bool = false
  ) -> KernelMessage {
    let fixed: [UInt8] = [2, prefix, 0, 0, table, 4, 0, type]
    return KernelMessage(type: isGone ? 25 : 24, body: fixed + little(flags, 4) + written(attributes))
  }

  private static func written(_ attributes: [(Int, [UInt8])]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (type, value) in attributes {
      bytes += little(4 + value.count, 2)
      bytes += little(type, 2)
      bytes += value
      while bytes.count % 4 != 0 { bytes.append(0) }
    }
    return bytes
  }
}

private func little(_ number: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}
