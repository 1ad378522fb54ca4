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

/// Makes gpsd let go of the serial port of a module without power.
///
/// gpsd closes a device after a minute without a watcher, but (3.22) looks for such ones only when something wakes it,
/// and a module without power never does. So a minute after the agent's own watch has ended it connects once more, asks
/// for nothing, and goes.
final class GPSDTouch: Source {
  /// gpsd's RELEASE_TIMEOUT is 60 s.
  static let after_ms: Int64 = 65_000

  private let connection: GPSDConnection
  private let timer: BootTimer
  private let after_ms: Int64
  private var isArmed = false

  init(settings: GPSSettings, after_ms: Int64 = GPSDTouch.after_ms) throws(HostError) {
    connection = GPSDConnection(host: settings.host, port: settings.port)
    timer = try BootTimer()
    self.after_ms = after_ms
    // Before a start or a reload another one's watch may have ended: of an agent that was killed, or of its old settings.
    watchEnded()
  }

  var descriptors: [PollDescriptor] {
    connection.descriptors + (isArmed ? [PollDescriptor(descriptor: timer.descriptor)] : [])
  }

  func watchEnded() { arm(at: HostClock.now().boot_ms + after_ms) }
  func watchBegan() { arm(at: nil) }

  func receive(ready: [Int32]) -> [Event] {
    if isArmed, ready.contains(timer.descriptor) {
      timer.acknowledge()
      isArmed = false
      connection.touch()
    } else if !connection.isClosed {
      _ = connection.receive(ready: ready)
    }
    return []
  }

  // Failing to set a timer that exists is no case to plan for: the port then stays open, as it did.
  private func arm(at boot_ms: Int64?) {
    isArmed = (try? timer.arm(at: boot_ms)) != nil && boot_ms != nil
  }
}
