import Testing
import TrackerBase
import TrackerLab

/// The module's model: what it says, and from when on.
@Suite struct VirtualReceiverTests {
  private static let start_ms: Int64 = 1_800_000_000_000
  private let clock = VirtualClock(wall_ms: start_ms)

  private static func report(_ s: Int, north_m: Double = 0, mode: Int = 3) -> GPSReport {
    GPSReport(
      mode: mode, time_ms: start_ms + Int64(s) * 1000, latitude_deg: 47 + north_m / 111_195,
      longitude_deg: 8, speed_mps: 0, accuracy_m: 5)
  }

  private func receiver(
    _ reports: [GPSReport], _ change: (inout Assumptions) -> Void = { _ in }
  ) throws -> VirtualReceiver {
    let track = try #require(RecordedTrack(name: "test", reports: reports))
    var assumptions = Assumptions()
    change(&assumptions)
    return VirtualReceiver(
      track: track, assumptions: assumptions, clock: clock, offset_ms: VirtualReceiverTests.start_ms)
  }

  /// Seconds from power-on to the first fix, as the module's reports show it.
  private func timeToFirstFix_s(_ receiver: VirtualReceiver) -> Int64? {
    let on_ms = clock.now_ms
    _ = receiver.set(true)
    _ = receiver.connect()
    while let next_ms = receiver.nextNews_ms {
      clock.advance(to: next_ms)
      for case .gpsReport(let report) in receiver.receive(ready: []) where report.mode >= 2 {
        return (clock.now_ms - on_ms) / 1000
      }
    }
    return nil
  }

  private func switchOff(_ receiver: VirtualReceiver, for s: Int64) {
    receiver.disconnect()
    _ = receiver.set(false)
    clock.advance(to: clock.now_ms + s * 1000)
  }

  @Test("the first start is cold, one soon after hot, one after hours warm, one after weeks cold")
  func timeToFirstFix() throws {
    let weeks = 3 * 7 * 86_400
    // One report a minute keeps the recording of weeks short; the gaps between are filled at 1 Hz.
    let receiver = try receiver(stride(from: 0, through: 2 * weeks, by: 60).map { Self.report($0) })
    #expect(timeToFirstFix_s(receiver) == 30)
    switchOff(receiver, for: 600)
    #expect(timeToFirstFix_s(receiver) == 2)
    switchOff(receiver, for: 3 * 3600)
    #expect(timeToFirstFix_s(receiver) == 20)
    switchOff(receiver, for: Int64(weeks))
    #expect(timeToFirstFix_s(receiver) == 30)
  }

  @Test("a start that was cut short before its first fix does not make the next one hot")
  func cutShort() throws {
    let receiver = try receiver((0...300).map { Self.report($0) })
    _ = receiver.set(true)
    _ = receiver.connect()
    clock.advance(to: 20_000)
    #expect(receiver.receive(ready: []).count == 20)
    switchOff(receiver, for: 10)
    #expect(timeToFirstFix_s(receiver) == 30)
  }

  @Test("nothing comes without power or without a watch, and what was missed stays missed")
  func silent() throws {
    let receiver = try receiver((0...100).map { Self.report($0) }) { $0.receiver.cold_s = 0 }
    _ = receiver.connect()
    #expect(receiver.nextNews_ms == nil && receiver.receive(ready: []).isEmpty)
    receiver.disconnect()
    _ = receiver.set(true)
    clock.advance(to: 50_000)
    #expect(receiver.nextNews_ms == nil && receiver.receive(ready: []).isEmpty)
    _ = receiver.connect()
    #expect(receiver.nextNews_ms == 51_000)
  }

  @Test(
    "in a gap the vehicle stands where both ends are near, and has no sky where they are not",
    arguments: [(100.0, 3), (200, 1)])
  func gap(apart_m: Double, mode: Int) throws {
    let receiver = try receiver([Self.report(0), Self.report(1), Self.report(100, north_m: apart_m)]) {
      $0.receiver.cold_s = 0
    }
    _ = receiver.set(true)
    _ = receiver.connect()
    clock.advance(to: 99_000)
    let modes = receiver.receive(ready: []).compactMap { event -> Int? in
      guard case .gpsReport(let report) = event else { return nil }
      return report.mode
    }
    // The report of second 1, and one for each second of the gap.
    #expect(modes == [3] + [Int](repeating: mode, count: 98))
    #expect(receiver.assumedFixes == (mode == 3 ? 98 : 0))
  }

  @Test("power is noted in the recording's time")
  func powered() throws {
    let receiver = try receiver((0...10).map { Self.report($0) })
    clock.advance(to: 2_000)
    _ = receiver.set(true)
    clock.advance(to: 5_000)
    _ = receiver.set(false)
    let start = VirtualReceiverTests.start_ms
    #expect(receiver.powered == [Span(start_ms: start + 2_000, end_ms: start + 5_000)])
  }
}
