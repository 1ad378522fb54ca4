/// Where the next point should be, in whole numbers, so that every machine and language finds the same.
/// docs/godwit.proto has the same steps in words. `/` drops the fraction.
struct CompactMotion {
  /// In position units and milliseconds.
  private struct Way {
    var latitude: Int64
    var longitude: Int64
    var time_ms: Int64
  }

  let unit_e7: Int64
  private var last: (fix: CompactFix, time_ms: Int64)?
  /// From the fix before the last one to the last one, if that is usual.
  private var way: Way?

  init(unit_e7: Int64) { self.unit_e7 = unit_e7 }

  /// The predicted latitude and longitude of `fix` from its time, speed and course, and the fixes before it.
  ///
  /// A kept fix is where the vehicle changes its way, and its velocity the mean of the ways before and after.
  func prediction(of fix: CompactFix, at time_ms: Int64) -> (latitude: Int64, longitude: Int64) {
    guard let (last, lastTime_ms) = last else { return (0, 0) }
    let step_ms = time_ms - lastTime_ms
    guard CompactMotion.usual_ms.contains(step_ms) else { return (last.latitude, last.longitude) }
    guard let from = velocity(last), let to = velocity(fix) else {
      return (
        last.latitude + (way.map { $0.latitude * step_ms / $0.time_ms } ?? 0),
        last.longitude + (way.map { $0.longitude * step_ms / $0.time_ms } ?? 0)
      )
    }
    let weight: Int64 = way == nil ? 1 : 2
    let divisor = 81_920_000_000 * unit_e7
    let north = (weight * from.north + to.north) * step_ms * 89_932 / divisor
    let east = (weight * from.east + to.east) * step_ms * 89_932 / divisor
    return (
      last.latitude + north - (way.map { $0.latitude * step_ms / (2 * $0.time_ms) } ?? 0),
      last.longitude + east * 4096 / cosine(last.latitude)
        - (way.map { $0.longitude * step_ms / (2 * $0.time_ms) } ?? 0)
    )
  }

  /// Metres from the fix before; 0 for the first one.
  func distance_m(to fix: CompactFix) -> Int64 {
    guard let last = last?.fix else { return 0 }
    let north = (fix.latitude - last.latitude) * unit_e7
    let east = around(fix.longitude - last.longitude) * unit_e7 * cosine(last.latitude) / 4096
    return squareRoot(north * north + east * east) * 1000 / 89_932
  }

  /// The shorter way around the earth.
  func around(_ longitude: Int64) -> Int64 {
    let half = 1_800_000_000 / unit_e7
    if longitude > half { return longitude - 2 * half }
    return longitude < -half ? longitude + 2 * half : longitude
  }

  mutating func passed(_ fix: CompactFix, at time_ms: Int64) {
    way = last.flatMap { last in
      guard CompactMotion.usual_ms.contains(time_ms - last.time_ms) else { return nil }
      return Way(
        latitude: fix.latitude - last.fix.latitude,
        longitude: around(fix.longitude - last.fix.longitude), time_ms: time_ms - last.time_ms)
    }
    last = (fix, time_ms)
  }

  // MARK: Parts

  private static let usual_ms: ClosedRange<Int64> = 1...600_000

  /// Tenths of a metre a second, times 4096. Who stands needs no course.
  private func velocity(_ fix: CompactFix) -> (north: Int64, east: Int64)? {
    guard let speed = fix.speed_dmps, (0...2000).contains(speed) else { return nil }
    guard let course = fix.course_deg else { return speed <= 10 ? (0, 0) : nil }
    return (speed * sine(course + 90, half: 180), speed * sine(course, half: 180))
  }

  /// 4096 times the cosine of a latitude, 64 at least.
  private func cosine(_ latitude: Int64) -> Int64 {
    max(64, sine(9000 - abs(latitude * unit_e7 / 100_000), half: 18_000))
  }

  /// 4096 times the sine of `angle`, of which `half` make 180 degrees: Bhaskara's formula of the 7th century,
  /// right to 0.2 %.
  private func sine(_ angle: Int64, half: Int64) -> Int64 {
    let turned = angle % (2 * half)
    if turned >= half { return -sine(turned - half, half: half) }
    let product = turned * (half - turned)
    return 16_384 * product / (5 * half * half / 4 - product)
  }

  /// Rounded down.
  private func squareRoot(_ value: Int64) -> Int64 {
    var root = Int64(Double(value).squareRoot())
    while root * root > value { root -= 1 }
    while (root + 1) * (root + 1) <= value { root += 1 }
    return root
  }
}
