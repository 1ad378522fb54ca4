import Glibc
import Testing
import TrackerBase
import TrackerIO

@testable import godwit

@Suite("The accelerometer as events")
struct AccelerometerSourceTests {
  private let folder = QueueFolder()
  private let names = ["name", "in_accel_x_raw", "in_accel_y_raw", "in_accel_z_raw"]

  private func plugIn() {
    mkdir(folder.path + "/iio:device0", 0o755)
    for name in names {
      folder.write(Array((name == "name" ? "lis3dh" : "7").utf8), to: "iio:device0/" + name)
    }
  }

  private func unplug() {
    for name in names { unlink(folder.path + "/iio:device0/" + name) }
    rmdir(folder.path + "/iio:device0")
  }

  private func source() throws -> AccelerometerSource {
    var settings = Settings().accelerometer
    settings.name = "lis3dh"
    let path = folder.path
    return try AccelerometerSource(settings) { (settings) throws(AccelerometerError) in
      try IIOAccelerometer(settings, in: path)
    }
  }

  /// As if what it waits for were there.
  private func wake(_ source: AccelerometerSource) -> [Event] {
    source.receive(ready: source.descriptors.map(\.descriptor))
  }

  @Test("missing, found, pulled out and found again: each is reported once")
  func course() throws {
    defer { unplug() }
    let source = try source()
    let missing = AccelerometerError.missing(name: "lis3dh", available: [])
    #expect(wake(source) == [.acceleration(.failed("\(missing)"))])
    #expect(wake(source).isEmpty, "it is tried again, and not reported again")
    #expect(source.perform(.read).isEmpty && source.perform(.tell(above_mps2: 1)).isEmpty)
    plugIn()
    #expect(wake(source) == [.acceleration(.opened(hasEvent: false))])
    #expect(source.descriptors.isEmpty, "it tells nothing by itself: nothing is waited for")
    #expect(
      source.perform(.read)
        == [.acceleration(.samples(Array(repeating: Acceleration(7, 7, 7), count: 8)))])
    #expect(source.perform(.tell(above_mps2: 1)).isEmpty)
    unplug()
    let gone = source.perform(.read)
    guard case .acceleration(.failed(let words))? = gone.first, gone.count == 1 else {
      Issue.record("\(gone)")
      return
    }
    #expect(words.contains("in_accel_x_raw is not there"))
    plugIn()
    #expect(wake(source) == [.acceleration(.opened(hasEvent: false))])
  }

  @Test("one that is there and cannot be read is reported once, not with each try")
  func unreadable() throws {
    defer { unplug() }
    plugIn()
    let path = folder.path + "/iio:device0/in_accel_z_raw"
    unlink(path)
    folder.write(Array("?".utf8), to: "iio:device0/in_accel_z_raw")
    let source = try source()
    let failed = AccelerometerError.notANumber(path: path)
    var told: [Event] = []
    for _ in 0..<5 { told += wake(source) + source.perform(.read) }
    #expect(told == [.acceleration(.failed("\(failed)"))])
    plugIn()
    #expect(wake(source) == [.acceleration(.opened(hasEvent: false))])
    #expect(source.perform(.read).count == 1)
  }
}
