import TrackerBase

/// Makes one report of each epoch.
///
/// After a phase without a fix gpsd 3.22 reports every epoch twice: first what the position sentence said, with
/// a speed that gpsd reckons from the noise of two positions, then again with the receiver's own speed and
/// course. A parked vehicle would seem to creep. Once that is seen, the first of each pair is held until the
/// second is there, and goes its way alone if another epoch comes instead.
package struct EpochMerger: Equatable, Sendable {
  private var held: GPSReport?
  private var isDoubling = false
  private var last: Epoch?
  private var mergedOfEpoch = 0
  /// Reports that another of the same epoch made superfluous.
  private(set) var merged = 0

  /// What goes on.
  package enum Merged: Equatable {
    /// The report that came is held, or superfluous.
    case nothing
    /// The report that came does.
    case report
    /// The one that was held goes first.
    indirect case both(held: GPSReport)
  }

  mutating func add(_ report: GPSReport) -> Merged {
    guard report.mode >= 2, let time_ms = report.time_ms else { return release() }
    if let first = held, first.time_ms == time_ms {
      guard Epoch(first).agrees(with: Epoch(report)) else { return release() }
      held = nil
      merged += 1
      return .report
    }
    if let last, time_ms == last.time_ms {
      guard last.agrees(with: Epoch(report)), mergedOfEpoch < EpochMerger.mostOfEpoch else { return .report }
      mergedOfEpoch += 1
      isDoubling = true
      merged += 1
      return .nothing
    }
    last = Epoch(report)
    mergedOfEpoch = 0
    guard isDoubling else { return .report }
    // The last epoch's second report did not come: the doubling is over.
    if held != nil {
      isDoubling = false
      return release()
    }
    held = report
    return .nothing
  }

  private mutating func release() -> Merged {
    defer { held = nil }
    return held.map { .both(held: $0) } ?? .report
  }

  /// What tells one epoch from another: a whole report would be copied for each one that comes.
  private struct Epoch: Equatable {
    var time_ms: Int64?
    var latitude_deg: Double?
    var longitude_deg: Double?

    init(_ report: GPSReport) {
      (time_ms, latitude_deg, longitude_deg) = (report.time_ms, report.latitude_deg, report.longitude_deg)
    }

    /// Two receivers may say different places for one epoch: neither stands for the other.
    func agrees(with other: Epoch) -> Bool {
      guard let latitude_deg, let otherLatitude_deg = other.latitude_deg, let longitude_deg,
        let otherLongitude_deg = other.longitude_deg
      else { return true }
      return abs(latitude_deg - otherLatitude_deg) <= EpochMerger.samePlace_deg
        && abs(longitude_deg - otherLongitude_deg) <= EpochMerger.samePlace_deg
    }
  }

  /// A receiver that says one time for longer hangs, which is not to be hidden.
  static let mostOfEpoch = 4

  /// 100 m: a daemon's two reports of one solution are the same to the last digit.
  static let samePlace_deg = 0.001
}
