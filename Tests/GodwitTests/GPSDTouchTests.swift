import Glibc
import Testing
import TrackerBase
import TrackerIO

@testable import godwit

@Suite("A gpsd that is to let go of the port")
struct GPSDTouchTests {
  /// A gpsd that only listens: its port, and how many have connected.
  private final class Listener {
    let descriptor: Int32
    private(set) var port = 0

    init() {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = bind(descriptor, $0, size)
          _ = listen(descriptor, 8)
          _ = getsockname(descriptor, $0, &size)
        }
      }
      port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    func accepted() -> Int {
      var count = 0
      while true {
        let connection = accept(descriptor, nil, nil)
        if connection < 0 { return count }
        close(connection)
        count += 1
      }
    }
  }

  private func touch(_ listener: Listener) throws -> GPSDTouch {
    var settings = Settings().gps
    settings.port = listener.port
    return try GPSDTouch(settings: settings, after_ms: 1)
  }

  /// Until it wants nothing any more.
  private func drive(_ touch: GPSDTouch) {
    while !touch.descriptors.isEmpty {
      _ = touch.receive(ready: Poller.wait(touch.descriptors, timeout_ms: 300_000))
    }
  }

  @Test(
    "it is touched once after a start too: an agent that was killed, or a reload, has left a watch behind")
  func start() throws {
    let listener = Listener()
    let touch = try touch(listener)
    drive(touch)
    #expect(listener.accepted() == 1)
  }

  @Test("not while it is watched")
  func watched() throws {
    let listener = Listener()
    let touch = try touch(listener)
    touch.watchBegan()
    #expect(touch.descriptors.isEmpty)
    touch.watchEnded()
    drive(touch)
    #expect(listener.accepted() == 1)
  }
}
