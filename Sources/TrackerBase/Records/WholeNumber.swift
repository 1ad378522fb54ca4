extension Int64 {
  /// The number, rounded towards zero, or the nearest that there is: what comes from outside may be infinite, no
  /// number at all (then 0) or too large, and none of that may end the process.
  public init(saturating value: Double) {
    if let exact = Int64(exactly: value.rounded(.towardZero)) {
      self = exact
    } else if value.isNaN {
      self = 0
    } else {
      self = value < 0 ? .min : .max
    }
  }
}

extension Int {
  /// As of `Int64`.
  public init(saturating value: Double) { self.init(clamping: Int64(saturating: value)) }
}
