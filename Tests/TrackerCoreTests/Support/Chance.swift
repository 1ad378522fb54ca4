import DriveGenerator

/// Random numbers that are the same in each run.
struct SeededRandom: RandomNumberGenerator {
  private var source: RandomSource

  init(_ seed: UInt64) { source = RandomSource(seed: seed) }

  mutating func next() -> UInt64 { source.next() }

  mutating func unit() -> Double { Double.random(in: 0..<1, using: &self) }

  /// Mean 0, deviation 1, never beyond 6.
  mutating func gaussian() -> Double { source.sumOfTwelve() }
}

/// A receiver's error on one axis: it wanders slowly (AR(1)), it does not jump about.
struct WanderingError {
  var value_m = 0.0
  let sigma_m: Double
  private let memory: Double
  private let push_m: Double

  init(sigma_m: Double, tau_s: Double, random: inout SeededRandom) {
    self.sigma_m = sigma_m
    memory = 1 - 1 / tau_s
    push_m = sigma_m * (1 - memory * memory).squareRoot()
    value_m = sigma_m * random.gaussian()
  }

  mutating func next(_ random: inout SeededRandom) -> Double {
    value_m = memory * value_m + push_m * random.gaussian()
    return value_m
  }
}
