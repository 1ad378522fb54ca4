import TrackerBase
import TrackerLab

/// What a receiver says that is not so, and what it says more often than once a second.
final class Spoiling {
  private let world: SimulatedWorld
  /// Draws aside: the seeds keep their days.
  private var random: SeededRandom
  private var before: GPSReport?
  private var offsets: (until_ms: Int64, date_ms: Int64, north_deg: Double) = (.min, 0, 0)

  private static let week_ms: Int64 = 604_800_000
  private static let dates_ms: [Int64] = [
    -1024 * week_ms, 1024 * week_ms, -86_400_000, 86_400_000, -3_600_000, 3_600_000, 365 * 86_400_000,
  ]
  /// 0.5, 3, 50 and 1000 km to the north.
  private static let places_deg = [0.0045, 0.027, 0.45, 9]

  init(_ world: SimulatedWorld) {
    self.world = world
    random = SeededRandom(seed: world.seed &* 31 &+ UInt64(world.clock.now_ms))
  }

  /// With another date or in another place; nil when it is reported as it is.
  func misplaced(_ report: GPSReport) -> GPSReport? {
    let isWrong = [Fault.wrongDate, .otherPlace].contains { world.plan.isActive($0, at: world.clock.now_ms) }
    guard report.mode >= 2, isWrong else { return nil }
    draw()
    var reported = report
    if world.meets(.wrongDate) { reported.time_ms = report.time_ms.map { $0 + offsets.date_ms } }
    if world.meets(.otherPlace) {
      reported.latitude_deg = report.latitude_deg.map {
        $0 + ($0 < 80 ? offsets.north_deg : -offsets.north_deg)
      }
    }
    return reported
  }

  /// The same lie until the spell ends.
  private func draw() {
    guard world.clock.now_ms >= offsets.until_ms else { return }
    func pick<Value>(_ values: [Value]) -> Value { values[Int(random.uniform() * Double(values.count))] }
    offsets = (
      world.plan.nextChange(after: world.clock.now_ms) ?? .max, pick(Spoiling.dates_ms),
      pick(Spoiling.places_deg)
    )
  }

  /// What a faster receiver has reported between the last report and this one.
  func between(_ report: GPSReport) -> [GPSReport] {
    defer { before = report }
    guard let before, before.mode >= 2, report.mode >= 2, let start_ms = before.time_ms,
      let end_ms = report.time_ms, (500...2000).contains(end_ms - start_ms), world.meets(.fastReports)
    else { return [] }
    let rates: [Int64] = [5, 10, 25]
    let steps = rates[Int(world.seed % 3)] * (end_ms - start_ms) / 1000
    return (1..<max(2, steps)).map { step in
      let share = Double(step) / Double(max(2, steps))
      var reported = before
      reported.time_ms = start_ms + Int64(share * Double(end_ms - start_ms))
      reported.latitude_deg = Spoiling.mean(before.latitude_deg, report.latitude_deg, share)
      reported.longitude_deg = Spoiling.mean(before.longitude_deg, report.longitude_deg, share)
      return reported
    }
  }

  private static func mean(_ a: Double?, _ b: Double?, _ share: Double) -> Double? {
    guard let a, let b else { return a }
    return a + (b - a) * share
  }
}
