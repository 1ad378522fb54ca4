import TrackerAgent
import TrackerCore
import TrackerIO

/// gpsd, as the agent's GPS port.
final class GPSSource: GPSPort {
  private let connection: GPSDConnection
  private let touch: GPSDTouch?
  private let log: Log
  private var complaints = RepeatLimiter<GPSDComplaint>()

  /// - Parameter touch: called when a watch begins and ends.
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

  func hearFrames(_ on: Bool) { connection.hearFrames(on) }

  func send(_ frames: [UInt8], to device: String) { connection.send(frames, to: device) }

  func receive(ready: [Int32]) -> [Event] {
    guard connection.descriptors.contains(where: { ready.contains($0.descriptor) }) else { return [] }
    return connection.receive(ready: ready).flatMap { events(for: $0) }
  }

  private func events(for news: GPSDEvent) -> [Event] {
    switch news {
    case .report(let report): return [.gpsReport(report)]
    case .lost(let words): return [.gpsLost(words)]
    case .frame(let bytes): return [.gpsFrame(bytes)]
    case .devices(let devices, let areAll):
      let drivers: [Event] = devices.compactMap { device in
        log.write(.debug, "gpsd has \(device.isOpen ? "opened" : "closed") \(device.path)")
        return device.driver.map { .gpsDriver($0, device: device.path) }
      }
      return [.gpsDevices(devices.map(\.path), areAll: areAll)] + drivers
    case .error(let complaint):
      if let count = complaints.happened(complaint, at: HostClock.now().boot_ms) {
        log.write(.warning, complaint.rawValue + (count > 1 ? " (\(counted(count, "time")))" : ""))
      }
      return []
    }
  }
}
