import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("The receiver's dynamic model")
struct DynamicModelTests {
  private static let generation8 = UBXFrame.setInNAV5(4)
  private static let generation9 = UBXFrame.setByKey(4)

  /// UBX-CFG-NAV5 and UBX-CFG-VALGET as receivers send them.
  private func nav5(_ model: UInt8) -> [UInt8] {
    UBXFrame(0x06, 0x24, [0xFF, 0xFF, model] + [UInt8](repeating: 0, count: 33)).bytes
  }
  private func valget(_ model: UInt8) -> [UInt8] {
    UBXFrame(0x06, 0x8B, [1, 0, 0, 0, 0x21, 0x00, 0x11, 0x20, model]).bytes
  }

  private func setting(_ model: DynamicModel, device: String = "") -> DynamicModelSetting {
    var settings = GPSSettings()
    (settings.dynamicModel, settings.device) = (model, device)
    return DynamicModelSetting(settings: settings)
  }

  /// Of the automotive model, tried the first time.
  private static let asked: [DynamicModelSetting.Action] = [
    .hearFrames(true), .send([generation9, generation8], device: "/dev/x"),
  ]

  @Test("frames are as u-blox writes them")
  func frames() {
    #expect(UBXFrame(0x0A, 0x04).bytes == [0xB5, 0x62, 0x0A, 0x04, 0, 0, 0x0E, 0x34])
    #expect(UBXFrame(0x06, 0x24).bytes == [0xB5, 0x62, 0x06, 0x24, 0, 0, 0x2A, 0x84])
    #expect(
      Self.generation9[0].bytes.dropFirst(6).dropLast(2).elementsEqual([0, 1, 0, 0, 0x21, 0, 0x11, 0x20, 4]))
    let payload = Self.generation8[0].payload
    #expect(payload.prefix(3).elementsEqual([1, 0, 4]) && payload.count == 36)
    #expect(UBXFrame(nav5(4))?.dynamicModel == 4 && UBXFrame(valget(4))?.dynamicModel == 4)
    for end in 0..<nav5(4).count { #expect(UBXFrame(Array(nav5(4).prefix(end))) == nil) }
    #expect(UBXFrame(nav5(4).dropLast() + [0]) == nil)
  }

  @Test("sent once gpsd says u-blox, and done once either generation reads it back", arguments: [8, 9])
  func set(generation: Int) {
    var model = setting(.automotive)
    model.poweredOn()
    #expect(model.driverNamed("u-blox", of: "/dev/x", at: 1000) == Self.asked)
    #expect(model.progress == .pending && model.deadline_ms == 3000)
    #expect(model.frameArrived(generation == 8 ? valget(0) : nav5(3)) == [])
    #expect(model.frameArrived(generation == 8 ? nav5(4) : valget(4)) == [.hearFrames(false), .succeeded])
    #expect(model.progress == .set && model.deadline_ms == nil)
    // Once per power-on.
    #expect(model.driverNamed("u-blox", of: "/dev/x", at: 5000) == [])
    model.poweredOn()
    #expect(model.driverNamed("u-blox", of: "/dev/x", at: 9000) == Self.asked)
  }

  @Test(
    "five tries within a minute, then given up, with what the receiver says instead",
    arguments: [nil, 3] as [UInt8?])
  func failed(kept: UInt8?) {
    var model = setting(.automotive)
    for isNew in [true, false] {
      model.poweredOn()
      _ = model.driverNamed("u-blox", of: "/dev/x", at: 0)
      #expect(model.tick(at: 1999) == [])
      if let kept { _ = model.frameArrived(nav5(kept)) }
      for s in [2, 6, 14, 30] { #expect(model.tick(at: Int64(s) * 1000) == [Self.asked[1]]) }
      #expect(
        model.tick(at: 62_000) == [.hearFrames(false), .failed(device: "/dev/x", kept: kept, isNew: isNew)])
      #expect(model.progress == .failed)
      #expect(
        model.frameArrived(nav5(4)) == [] && model.driverNamed("u-blox", of: "/dev/x", at: 63_000) == [])
    }
  }

  @Test("other drivers, and receivers that are not preferred, are left alone; unchanged sends nothing")
  func leftAlone() {
    var model = setting(.automotive)
    #expect(model.driverNamed("NMEA0183", of: "/dev/x", at: 0) == [] && model.progress == .otherDriver)
    #expect(model.driverNamed("u-blox", of: "/dev/x", at: 500) == Self.asked)
    var preferring = setting(.automotive, device: "/dev/x")
    #expect(preferring.driverNamed("u-blox", of: "/dev/modem", at: 0) == [])
    #expect(preferring.progress == .pending)
    #expect(preferring.driverNamed("u-blox", of: "/dev/x", at: 0) == Self.asked)
    var unchanged = setting(.unchanged)
    #expect(unchanged.driverNamed("u-blox", of: "/dev/x", at: 0) == [] && unchanged.progress == nil)
  }

  @Test("a connection that ends takes the question with it: it is asked again after the next one")
  func disconnected() {
    var model = setting(.automotive)
    _ = model.driverNamed("u-blox", of: "/dev/x", at: 0)
    model.disconnected()
    #expect(model.deadline_ms == nil && model.tick(at: 60_000) == [] && model.progress == .pending)
    #expect(model.driverNamed("u-blox", of: "/dev/x", at: 70_000) == Self.asked)
  }

  /// A whole tracker that drives for ten minutes. - Parameter answers: what the receiver says to each request.
  private func driven(_ answers: @escaping (_ bytes: [UInt8]) -> [[UInt8]]) throws -> TrackerTimeline {
    var drive = Drive()
    drive.go(600, speed_mps: 12)
    let day = try TrackerTimeline(drive) { $0.gps.dynamicModel = .automotive }
    day.module = { bytes, device in
      #expect(device == "/dev/x")
      return answers(bytes)
    }
    day.run(to: 2)
    day.happen(.gpsDriver("u-blox", device: "/dev/x"))
    day.run(to: 90)
    #expect(!day.hearsFrames)
    return day
  }

  @Test("what works is in the status and the journal; a reload that leaves it alone asks no more")
  func tracker() throws {
    var requests = 0
    let day = try driven { bytes in
      requests += 1
      return bytes.starts(with: Self.generation8[0].bytes) ? [self.nav5(4)] : []
    }
    #expect(requests == 2 && day.log.contains("2 the receiver has the dynamic model \"automotive\""))
    try day.reload()
    day.happen(.gpsDriver("u-blox", device: "/dev/x"))
    #expect(requests == 2 && day.tracker.status(at: day.now).gps.dynamicModel == .set)
    #expect(day.tracker.warnings.entries[.dynamicModel] == nil)
  }

  @Test(
    "what fails is one warning that says what to do",
    arguments: [
      (
        nil,
        "answers nothing: gpsd sends nothing to it where it runs with its option -b or may not write to the device; else look at the wire to the receiver's RX"
      ),
      (0, "stays at \"portable\": it may not know \"automotive\", or something else sets it too"),
      (77, "stays at \"77\": it may not know \"automotive\", or something else sets it too"),
    ] as [(UInt8?, String)])
  func words(kept: UInt8?, words: String) throws {
    let day = try driven { _ in kept.map { [self.nav5($0)] } ?? [] }
    #expect(day.log.contains("64 gps.dynamic_model: /dev/x \(words)"), "\(day.log)")
    #expect(day.tracker.warnings.entries[.dynamicModel]?.count == 1)
    #expect(day.tracker.status(at: day.now).gps.dynamicModel == .failed && day.powerOns == 1)
  }

  @Test("tries count over connections that end: gpsd may hang up at each of them, until the next power-on")
  func hangUps() {
    var model = setting(.automotive)
    model.poweredOn()
    for s: Int64 in 0..<5 {
      #expect(model.driverNamed("u-blox", of: "/dev/x", at: s * 1000) == Self.asked)
      model.disconnected()
      #expect(model.progress == .pending)
    }
    let gaveUp = model.driverNamed("u-blox", of: "/dev/x", at: 6000)
    #expect(gaveUp == [.hearFrames(false), .failed(device: "/dev/x", kept: nil, isNew: true)])
    model.disconnected()
    #expect(model.driverNamed("u-blox", of: "/dev/x", at: 7000) == [] && model.progress == .failed)
    model.poweredOn()
    #expect(model.driverNamed("u-blox", of: "/dev/x", at: 8000) == Self.asked)
  }
}
