import TrackerAgent
import TrackerBase
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
    var events: [Event] = []
    for news in connection.receive(ready: ready) { take(news, into: &events) }
    return events
  }

  private func take(_ news: GPSDEvent, into events: inout [Event]) {
    switch news {
    case .report(let report): events.append(.gpsReport(report))
    case .lost(let words): events.append(.gpsLost(words))
    case .frame(let bytes): events.append(.gpsFrame(bytes))
    case .devices(let devices, let areAll):
      events.append(.gpsDevices(devices.map(\.path), areAll: areAll))
      for device in devices {
        log.write(.debug, "gpsd has \(device.isOpen ? "opened" : "closed") \(device.path)")
        if let driver = device.driver { events.append(.gpsDriver(driver, device: device.path)) }
      }
    case .error(let complaint):
      if let count = complaints.happened(complaint, at: HostClock.now().boot_ms) {
        log.write(.warning, complaint.rawValue + (count > 1 ? " (\(counted(count, "time")))" : ""))
      }
    }
  }
}
