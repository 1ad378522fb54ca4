import Glibc
import TrackerLab

/// A seeded source of chance: the same seed gives the same numbers.
public struct RandomSource: RandomNumberGenerator, Sendable {
  private var random: SeededRandom
  private var spareGaussian: Double?

  public init(seed: UInt64) { random = SeededRandom(seed: seed) }

  public mutating func next() -> UInt64 { random.next() }

  /// Uniform in 0..<1, with 53 bits.
  public mutating func uniform() -> Double { random.uniform() }

  /// Uniform in `range`.
  public mutating func uniform(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// Nearly normal with mean 0 and standard deviation 1: the sum of twelve uniform numbers.
  public mutating func sumOfTwelve() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += Double.random(in: 0..<1, using: &self) }
    return sum
  }

  /// Normal with mean 0 and standard deviation 1 (Box and Muller, 1958).
  public mutating func gaussian() -> Double {
    if let spare = spareGaussian {
      spareGaussian = nil
      return spare
    }
    // 1 - uniform() is never 0, so the logarithm is finite.
    let radius = (-2 * log(1 - uniform())).squareRoot()
    let angle = 2 * Double.pi * uniform()
    spareGaussian = radius * sin(angle)
    return radius * cos(angle)
  }
}

/// First-order autoregressive noise with mean 0: neighbouring values are alike, as the error of a GPS is.
struct CorrelatedNoise {
  private let keep: Double
  private let renew: Double
  private(set) var value: Double

  /// - Parameters:
  ///   - sigma: standard deviation of the values.
  ///   - tau_s: the time after which the correlation has fallen to 1/e.
  ///   - step_s: time between two values.
  init(sigma: Double, tau_s: Double, step_s: Double = 1, random: inout RandomSource) {
    keep = exp(-step_s / tau_s)
    renew = sigma * (1 - keep * keep).squareRoot()
    value = sigma * random.gaussian()
  }

  /// The next value.
  mutating func step(_ random: inout RandomSource) -> Double {
    value = keep * value + renew * random.gaussian()
    return value
  }
}
