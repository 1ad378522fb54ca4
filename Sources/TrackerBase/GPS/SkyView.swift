/// What a receiver hears at one moment.
public struct SkyView: Equatable, Sendable {
  /// Satellites with a signal, used or not.
  public var heard: Int
  /// Mean carrier-to-noise density of the four that are heard best; nil with fewer.
  ///
  /// Four, since a position needs as many; the best, since they stand high, where trees and houses hide little: how well
  /// the others are heard says more of the street than of the receiver.
  public var cn0_dBHz: Double?

  public init(heard: Int, cn0_dBHz: Double? = nil) { (self.heard, self.cn0_dBHz) = (heard, cn0_dBHz) }

  public static let needed = 4
}
