import TrackerBase

/// From which acceleration on a parked vehicle counts as used: learned of how restless it stands.
///
/// Two things raise it: what is measured while nothing happens (wind, a street, a fridge), and signs after which it did
/// not leave (loading, doors, a passing lorry), each by half. Departures that it told lower it again.
struct ParkedNoise: Equatable, Sendable {
  /// Mean of what single looks have differed from rest by.
  private(set) var level_mps2 = 0.0
  /// So many times as much.
  private(set) var caution = 1.0

  /// A drive exceeds that within seconds: no noise and no caution raise it higher.
  static let most_mps2 = 2.5
  /// So far above its mean noise seldom goes.
  static let margin = 4.0
  static let mostCaution = 4.0
  /// One look more counts so much of the mean: some thirty are remembered, most of an hour.
  static let share = 1.0 / 32

  init() {}

  func threshold_mps2(least least_mps2: Double) -> Double {
    min(max(least_mps2, ParkedNoise.most_mps2), max(least_mps2, level_mps2 * ParkedNoise.margin) * caution)
  }

  /// A look at it while it is parked. What exceeds the threshold counts no more than that, or a departure would be noise.
  mutating func measured(_ deviation_mps2: Double, least least_mps2: Double) {
    let counted_mps2 = min(deviation_mps2, threshold_mps2(least: least_mps2))
    level_mps2 += (counted_mps2 - level_mps2) * ParkedNoise.share
  }

  /// A sign, and it did not leave.
  mutating func wasFalse() { caution = min(ParkedNoise.mostCaution, caution * 1.5) }

  /// A sign, and it left.
  mutating func wasTrue() { caution = max(1, caution / 1.5) }
}

extension ParkedNoise: SavedObject {
  static let members: [SavedMember<ParkedNoise>] = [
    .init("level_mps2", \.level_mps2, decimals: 2) { (0...most_mps2 * 8).contains($0) },
    .init("caution", \.caution, decimals: 2) { (1...mostCaution).contains($0) },
  ]
}
