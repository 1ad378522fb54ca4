import Glibc
import TrackerBase

/// Asks gpsd what it has, and waits for the answer: for commands, not for the agent's loop.
public enum GPSDInquiry {
  /// - Returns: gpsd's devices, or why it did not say, in words.
  public static func devices(
    of settings: GPSSettings, timeout_ms: Int64 = 3000
  ) -> Result<[GPSDDevice], GPSDSilence> {
    let connection = GPSDConnection(host: settings.host, port: settings.port)
    do throws(GPSDError) { try connection.openForList() } catch {
      return .failure(GPSDSilence(words: "\(error)"))
    }
    let end_ms = HostClock.now().boot_ms + timeout_ms
    while true {
      let left_ms = end_ms - HostClock.now().boot_ms
      guard left_ms > 0 else { return .failure(.timedOut(settings)) }
      for event in connection.receive(ready: wait(for: connection.descriptors, timeout_ms: left_ms)) {
        switch event {
        case .devices(let devices, areAll: true): return .success(devices)
        case .lost(let words): return .failure(GPSDSilence(words: words))
        case .devices, .report, .frame, .error: break
        }
      }
    }
  }

  private static func wait(for descriptors: [PollDescriptor], timeout_ms: Int64) -> [Int32] {
    var polled = descriptors.map {
      pollfd(fd: $0.descriptor, events: Int16($0.wantsWrite ? POLLIN | POLLOUT : POLLIN), revents: 0)
    }
    _ = poll(&polled, nfds_t(polled.count), Int32(clamping: timeout_ms))
    return polled.filter { $0.revents != 0 }.map(\.fd)
  }
}

/// Why gpsd did not say what it has.
public struct GPSDSilence: Error, Equatable, CustomStringConvertible {
  var words: String
  public var description: String { words }

  static func timedOut(_ settings: GPSSettings) -> GPSDSilence {
    GPSDSilence(words: "gpsd at \(settings.host) port \(settings.port) did not say which devices it has")
  }
}
