import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite(
  "The kernel's word on the network",
  .enabled(if: NetworkOfItsOwn.isPossible, "needs root, ip(8), and a kernel with network namespaces and veth")
)
struct LinkWatchTests {
  @Test("a default route that comes is reported, once, and at rest nothing wakes the loop")
  func route() throws {
    try NetworkOfItsOwn.run {
      let watch = try LinkWatch(interface: "")
      #expect(!isReady(watch, within_ms: 0))
      try ip("link add gw0 type veth peer name gw1", "link set gw0 up", "link set gw1 up")
      try ip("address add 192.0.2.2/24 dev gw0")
      while isReady(watch, within_ms: 0) { _ = watch.receive() }
      try ip("route add default via 192.0.2.1 dev gw0")
      #expect(isReady(watch, within_ms: 100_000))
      #expect(watch.receive())
      #expect(!isReady(watch, within_ms: 0))
      try ip("route replace 198.51.100.0/24 via 192.0.2.1 dev gw0")
      #expect(!watch.receive())
    }
  }

  @Test("a cable that is pulled and plugged in again is reported, though routes and addresses stay")
  func carrier() throws {
    try NetworkOfItsOwn.run {
      try ip("link add gw0 type veth peer name gw1", "link set gw0 up", "link set gw1 up")
      try ip("address add 192.0.2.2/24 dev gw0", "route add default via 192.0.2.1 dev gw0")
      let watch = try LinkWatch(interface: "gw0")
      try ip("link set gw1 down")
      // The kernel reports carriers a moment later, and of one that was back by then nothing at all.
      while !hasNoCarrier("gw0"), isReady(watch, within_ms: 100_000) { #expect(!watch.receive()) }
      try #require(hasNoCarrier("gw0"))
      try ip("link set gw1 up")
      var isReported = false
      // The carrier comes a moment after the command.
      while !isReported, isReady(watch, within_ms: 100_000) { isReported = watch.receive() }
      #expect(isReported)
    }
  }

  @Test("of several interfaces only the named one counts, also one that comes later")
  func named() throws {
    try NetworkOfItsOwn.run {
      let watch = try LinkWatch(interface: "wwan0")
      try ip("link add gw0 type veth peer name gw1", "link set gw0 up", "link set gw1 up")
      try ip("address add 192.0.2.2/24 dev gw0", "route add default via 192.0.2.1 dev gw0")
      #expect(!watch.receive())
      try ip("link add wwan0 type veth peer name gw3", "link set wwan0 up", "link set gw3 up")
      while isReady(watch, within_ms: 0) { _ = watch.receive() }
      try ip("address add 203.0.113.2/24 dev wwan0")
      #expect(watch.receive())
    }
  }

  @Test("messages that were lost count as news, and the watch goes on")
  func overrun() throws {
    try NetworkOfItsOwn.run {
      let watch = try LinkWatch(interface: "gw0")
      var smallest: Int32 = 1
      setsockopt(watch.descriptor, SOL_SOCKET, SO_RCVBUF, &smallest, socklen_t(MemoryLayout<Int32>.size))
      try ip("link add gw0 type veth peer name gw1", "link set gw0 up", "link set gw1 up")
      for number in 1...20 { try ip("address add 192.0.2.\(number)/32 dev gw1") }
      #expect(watch.receive())
      #expect(!watch.receive())
    }
  }

  private func isReady(_ watch: LinkWatch, within_ms: Int) -> Bool {
    !waitForDescriptors([PollDescriptor(descriptor: watch.descriptor)], timeout_ms: within_ms).isEmpty
  }

  private func hasNoCarrier(_ name: String) -> Bool {
    system("ip link show \(name) | grep -q NO-CARRIER") == 0
  }

  private func ip(_ commands: String...) throws {
    for command in commands where system("ip \(command)") != 0 { throw CommandFailed(command: command) }
  }
}

struct CommandFailed: Error { var command: String }

/// A network namespace for the thread that runs the test, and for the programs it starts.
enum NetworkOfItsOwn {
  static let isPossible =
    geteuid() == 0
    && system("unshare -n ip link add gw0 type veth peer name gw1 2>/dev/null >/dev/null") == 0

  // Glibc's module hides what needs _GNU_SOURCE.
  private typealias Unshare = @convention(c) (Int32) -> Int32
  private typealias SetNS = @convention(c) (Int32, Int32) -> Int32
  private static func function<Type>(_ name: String, _: Type.Type) throws -> Type {
    unsafeBitCast(try #require(dlsym(nil, name)), to: Type.self)
  }

  static func run(_ test: () throws -> Void) throws {
    let before = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
    defer { close(before) }
    let newNetwork: Int32 = 0x4000_0000  // CLONE_NEWNET
    try #require(try function("unshare", Unshare.self)(newNetwork) == 0)
    defer { _ = try? function("setns", SetNS.self)(before, newNetwork) }
    try test()
  }
}
