import TrackerAgent
import TrackerCore
import TrackerIO

/// gpsd, as the agent's GPS port.
final class GPSSource: GPSPort {
  private let connection: GPSDConnection
  private let touch: GPSDTouch?
  private let log: Log
  private var complaints = RepeatLimiter<GPSDComplaint>()

  /// - Parameter touch: to be told when a watch begins and ends.
  init(settings: GPSSettings, touch: GPSDTouch? = nil, log: Log) {
    self.touch = touch
    connection = GPSDConnection(host: settings.host, port: settings.port)
    self.log = log
  }

  var descriptors: [PollDescriptor] { connection.descriptors }

  var hasMore: Bool { connection.hasMore }

  func connect() -> Event? {
    do {
      try connection.open()
      touch?.watchBegan()
      return nil
    } catch {
      return .gpsLost("\(error)")
    }
  }

  func disconnect() {
    connection.close()
    touch?.watchEnded()
  }

  func receive(ready: [Int32]) -> [Event] {
    guard connection.descriptors.contains(where: { ready.contains($0.descriptor) }) else { return [] }
    return connection.receive(ready: ready).compactMap { event(for: $0) }
  }

  private func event(for news: GPSDEvent) -> Event? {
    switch news {
    case .report(let report): return .gpsReport(report)
    case .lost(let words): return .gpsLost(words)
    case .deviceActive(let isActive):
      log.write(.debug, isActive ? "gpsd has the device open" : "gpsd has closed the device")
      return nil
    case .error(let complaint):
      if let count = complaints.happened(complaint, at: HostClock.now().boot_ms) {
        log.write(.warning, complaint.rawValue + (count > 1 ? " (\(count) times)" : ""))
      }
      return nil
    }
  }
}
