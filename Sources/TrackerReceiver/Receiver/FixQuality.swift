import TrackerBase

/// What is odd about the fixes as such, and is reported once: no height, no time, a delay.
package struct FixQuality: Equatable, Sendable {
  package private(set) var flat = FlatFixes()
  package private(set) var timeless = TimelessFixes()
  package private(set) var delay = FixDelay()

  mutating func reportArrived(_ report: GPSReport, at now_ms: Int64) -> [Want] {
    flat.add(mode: report.mode, at: now_ms) ? [.warn(.flatFixes, FlatFixes.words)] : []
  }

  /// The receiver has given a time.
  mutating func timeArrived() { timeless = TimelessFixes() }

  /// A receiver that never gives a time: its positions have that of their arrival, where a clock gives it.
  mutating func datedByArrival(
    _ report: GPSReport, _ clock: ClockKeeper, at now: Moment
  ) -> (report: GPSReport, wants: [Want]) {
    guard FixFilter.isPlace(report), timeless.add(at: now.boot_ms) else { return (report, []) }
    let time_ms = clock.dating_ms(at: now)
    let wants = timeless.isNews(isDated: time_ms != nil) ? [timelessNews(isDated: time_ms != nil)] : []
    // How long it has waited in the socket, nothing says.
    guard !clock.mayHaveWaited(at: now.boot_ms) else { return (report, wants) }
    var dated = report
    dated.time_ms = time_ms
    return (dated, wants)
  }

  private func timelessNews(isDated: Bool) -> Want {
    isDated
      ? .log(
        .notice,
        "the receiver gives positions without a time: they have that of their arrival\(timeless.advice)")
      : .warn(
        .noTime,
        "the receiver gives positions without a time, and no clock gives it: they are refused until the system's clock is synchronised\(timeless.advice)"
      )
  }

  /// What waited for us is not late.
  mutating func noteDelay(of time_ms: Int64, _ clock: ClockKeeper, at now: Moment) -> [Want] {
    guard !clock.mayHaveWaited(at: now.boot_ms) else { return [] }
    let delay_ms = clock.trusted_ms(at: now).map { $0 - time_ms }
    guard delay.add(delay_ms, at: now.boot_ms), let delay_ms else { return [] }
    return [
      .warn(
        .late,
        "fixes come \(delay_ms / 1000) s after their own time, by which they are dated: the receiver's rate may be too high for its line (lower the rate, or raise the baud rate), or a buffer or radio link holds them back"
      )
    ]
  }
}
