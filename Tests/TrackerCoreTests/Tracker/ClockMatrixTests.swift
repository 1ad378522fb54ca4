import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A receiver whose date is wrong, by so much, for so long, from power-on or in mid-trip, beside each kind of kernel
/// clock: what must hold of windows, dates and power.
@Suite("A wrong date")
struct ClockMatrixTests {
  enum Kernel: String, CaseIterable {
    case year1970, monthBehind, right, daysAhead

    var error_s: Double {
      switch self {
      case .year1970: -Double(epoch_ms / 1000)
      case .monthBehind: -30 * 86_400
      case .right: 0
      case .daysAhead: 3 * 86_400
      }
    }
    var isSynchronised: Bool { self == .right || self == .daysAhead }
  }

  struct Case: CustomStringConvertible {
    var error_s: Double
    var length_s: Double
    var from_s: Double
    var kernel: Kernel
    var description: String { "\(error_s) s for \(length_s) s from \(from_s) s, kernel \(kernel)" }
  }

  static let week_s = 7 * 86_400.0
  static let errors_s: [Double] = [-1024 * week_s, 1024 * week_s, -86_400, 86_400, -3600, 3600, -18, 18]
  /// Power-on, in mid-trip.
  static let begins_s = [0.0, 900]

  static func cases(lengths_s: [Double]) -> [Case] {
    errors_s.flatMap { error_s in
      lengths_s.flatMap { length_s in
        begins_s.flatMap { from_s in
          Kernel.allCases.map { Case(error_s: error_s, length_s: length_s, from_s: from_s, kernel: $0) }
        }
      }
    }
  }

  /// 06:00 is second 0.
  static let rules = [
    "2025-06-02 05:00-07:00", "2025-06-02 10:00-10:15", "2025-06-03..2025-06-05 06:00-06:15",
  ]

  /// Whether the schedule is open, by the oracle of those rules.
  static func isOpen(_ s: Double) -> Bool {
    let day = (s / 86_400).rounded(.down)
    let hour = (s - day * 86_400) / 3600
    return day == 0 ? hour < 1 || (4..<4.25).contains(hour) : day <= 3 && hour < 0.25
  }

  static func drive() -> Drive {
    var drive = Drive()
    drive.park(200)
    drive.go(2400, speed_mps: 12)
    drive.park(4 * 86_400)
    return drive
  }

  static func timeline(
    _ kernel: Kernel, rules: [String] = rules, offWhenParked: Bool = true
  ) throws -> TrackerTimeline {
    let day = try TrackerTimeline(
      drive(), rules: rules, isSynchronised: kernel.isSynchronised, wallError_s: kernel.error_s
    ) { $0.motion.gpsOffWhenParked = offWhenParked }
    day.coldStart_s = 20
    return day
  }

  /// Fixes whose date and place are not those of the vehicle at one time.
  static func wrongStamps(_ day: TrackerTimeline) -> Int {
    day.disk.committed.filter { $0.kind == .position }.compactMap(\.fix).count { fix in
      let truth = day.drive.sample(at: fix.at_s)
      let position = Position.at(east_m: truth.east_m, north_m: truth.north_m)
      return position.distance_m(to: fix.position) > 12 * 2.5
    }
  }

  @Test(
    "for seconds or a minute it has no effect: no window, no date, no trip differs",
    arguments: oneIn(5, of: cases(lengths_s: [3, 60])))
  func short(wrong: Case) throws {
    // No trip's start hangs on when a probe came.
    let day = try Self.timeline(wrong.kernel, offWhenParked: false)
    day.dateError_s = { s, sinceOn_s in
      let since_s = wrong.from_s == 0 ? (s < 400 ? sinceOn_s - 20 : .infinity) : s - wrong.from_s
      return (0..<wrong.length_s).contains(since_s) ? wrong.error_s : 0
    }
    var differences = 0
    // The time is learnt in the first minutes; then the window is the oracle's, at any time.
    for s in stride(from: 600.0, to: 40_000, by: 50) {
      day.run(to: s)
      if wrong.kernel != .daysAhead, day.tracker.isWindowOpen != Self.isOpen(s) { differences += 1 }
    }
    #expect(differences == 0, "\(wrong)")
    #expect(Self.wrongStamps(day) == 0, "\(wrong)")
    guard wrong.kernel != .daysAhead else { return }
    let trip = try #require(day.trips.first)
    #expect(abs(trip.start_s - 200) < 20 && abs(trip.distance_m - 28_800) < 400, "\(wrong) \(day.trips)")
    #expect(day.trips.count == 1, "\(wrong) \(day.trips)")
  }

  @Test(
    "for good, and right again after hours: the way back takes at most four times recheck_s",
    arguments: oneIn(5, of: cases(lengths_s: [5000])))
  func long(wrong: Case) throws {
    let day = try Self.timeline(wrong.kernel)
    let end_s = wrong.from_s + wrong.length_s
    day.dateError_s = { s, _ in (wrong.from_s..<end_s).contains(s) ? wrong.error_s : 0 }
    day.run(to: end_s + 4 * 21_600 + 600)
    var differences = 0
    for s in stride(from: day.now_s, to: 3.5 * 86_400, by: 500) {
      day.run(to: s)
      if wrong.kernel != .daysAhead, day.tracker.isWindowOpen != Self.isOpen(s) { differences += 1 }
    }
    #expect(differences == 0, "\(wrong)")
    // The looks cost a minute or two each, of 3.5 days.
    #expect(day.gpsOn_s < 5 * 3600 + 3600, "\(wrong) \(day.gpsOn_s)")
    // Within one rollover the date is unambiguous, and against two sources a receiver counts for nothing.
    if abs(wrong.error_s) > 1000 * 86_400 || (wrong.kernel == .right && wrong.from_s > 0) {
      #expect(Self.wrongStamps(day) == 0, "\(wrong)")
    }
  }

  @Test("a kernel clock that was wrong and synchronised, and is set right, is followed at once")
  func kernelSetRight() throws {
    let day = try Self.timeline(.daysAhead)
    day.run(to: 4000)
    day.wallError_s = 0
    day.happen(.clockStepped(isSynchronised: true))
    for s in stride(from: 4000.0, to: 90_000, by: 500) {
      day.run(to: s)
      #expect(day.tracker.isWindowOpen == Self.isOpen(s))
    }
    #expect(Self.wrongStamps(day) == 0)
  }

  @Test("it is reported once, with what became of it")
  func reported() throws {
    let day = try Self.timeline(.right)
    day.dateError_s = { s, _ in s >= 900 && s < 960 ? 86_400 : 0 }
    day.run(to: 2000)
    let warning = day.tracker.status(at: day.now).warnings.first { $0.name == "clock_jump" }
    #expect(warning?.count == 1)
    #expect(
      day.log.contains {
        $0.hasSuffix("the receiver's date is off by +86400 s: not believed, unless it stays so")
      })
  }

  @Test("that the time is unknown is reported once, however long a date is judged")
  func unknownToldOnce() throws {
    let day = try Self.timeline(.year1970)
    day.run(to: 2000)
    let warning = day.tracker.status(at: day.now).warnings.first { $0.name == "clock_unknown" }
    #expect(warning?.count == 1)
  }

  @Test("without a schedule, and with a clock of 1970: nothing waits longer than 90 s, and nothing is lost")
  func alwaysOpen() throws {
    let day = try Self.timeline(.year1970, rules: [])
    day.dateError_s = { _, sinceOn_s in sinceOn_s < 23 ? -86_400 : 0 }
    day.run(to: 112)
    #expect(day.tracker.status(at: day.now).gps.fixes == 0)
    day.run(to: 114)
    #expect(day.tracker.status(at: day.now).gps.fixes > 90)
    day.run(to: 4000)
    #expect(Self.wrongStamps(day) == 0)
    #expect(day.trips.count == 1)
  }

  @Test("under a schedule, fixes that wait when the process ends are dropped and counted")
  func endsWhileWaiting() throws {
    let day = try Self.timeline(.year1970)
    day.run(to: 60)
    day.happen(.stopping)
    #expect(
      day.log.contains { $0.hasSuffix("fixes are lost: their receiver's date was not believed until now") })
  }

  @Test("with the schedule's zone unknown it is closed, and says why; without rules it is open")
  func noZone() throws {
    for (rules, cause) in [(["sun-sat 00:00-00:00"], "zone_unknown"), ([], "acquiring")] {
      var tracker = Tracker(
        Configuration(settings: .with(), schedule: try Schedule(rules: rules), zone: nil), restored: .init(),
        notBefore_ms: epoch_ms - 86_400_000, isSynchronised: true, at: .at(0))
      _ = tracker.handle(.started, at: .at(0), chance: 0)
      #expect(tracker.status(at: .at(1)).noTrackCause?.rawValue == cause)
    }
  }
}
