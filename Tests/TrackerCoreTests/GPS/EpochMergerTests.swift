import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("One report of each epoch")
struct EpochMergerTests {
  private let reckoned = { (second: Int) in GPSReport.at(Double(second), speed_mps: 2.3) }
  private let measured = { (second: Int) in GPSReport.at(Double(second), speed_mps: 0.1) }

  @Test("single reports pass at once")
  func single() {
    var merger = EpochMerger()
    for second in 1...5 { #expect(merger.reports(after: measured(second)) == [measured(second)]) }
    #expect(merger.merged == 0)
  }

  @Test("once epochs come twice, the second report counts, with the receiver's own speed")
  func doubled() {
    var merger = EpochMerger()
    #expect(merger.reports(after: reckoned(1)) == [reckoned(1)])
    #expect(merger.reports(after: measured(1)) == [])
    for second in 2...5 {
      #expect(merger.reports(after: reckoned(second)) == [])
      #expect(merger.reports(after: measured(second)) == [measured(second)])
    }
    #expect(merger.merged == 5)
  }

  @Test("when the doubling ends, no epoch is lost")
  func ends() {
    var merger = EpochMerger()
    _ = merger.reports(after: reckoned(1))
    _ = merger.reports(after: measured(1))
    #expect(merger.reports(after: measured(2)) == [])
    #expect(merger.reports(after: measured(3)) == [measured(2), measured(3)])
    #expect(merger.reports(after: measured(4)) == [measured(4)])
  }

  @Test("two receivers that say different places for one epoch are not one report that came twice")
  func twoReceivers() {
    var merger = EpochMerger()
    let other = { (second: Int) in GPSReport.at(Double(second), east_m: 5000) }
    for second in 1...5 {
      #expect(merger.reports(after: measured(second)) == [measured(second)])
      #expect(merger.reports(after: other(second)) == [other(second)])
    }
    #expect(merger.merged == 0)
  }

  @Test("a report without a fix lets the held one go first")
  func noFix() {
    var merger = EpochMerger()
    _ = merger.reports(after: reckoned(1))
    _ = merger.reports(after: measured(1))
    _ = merger.reports(after: reckoned(2))
    let none = GPSReport(mode: 1)
    #expect(merger.reports(after: none) == [reckoned(2), none])
  }
}

extension EpochMerger {
  /// What goes on once this one has come, in order.
  fileprivate mutating func reports(after report: GPSReport) -> [GPSReport] {
    let merged = add(report)
    switch merged {
    case .nothing: return []
    case .report: return [report]
    case .both(let held): return [held, report]
    }
  }
}
