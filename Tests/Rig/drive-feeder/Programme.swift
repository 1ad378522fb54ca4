import DriveGenerator
import Glibc

/// When the drive begins, on the GPS clock.
enum StartTime: Equatable {
  case now
  /// Unix milliseconds.
  case at(Int64)
  /// A track's own times.
  case recorded

  /// The wall clock, down to the second: receivers report just after the full second.
  static var now_ms: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000
  }
}

/// What is played, second by second.
struct Programme {
  private let epochs: [PlayedEpoch]
  /// Driven to and fro instead.
  private var endless: Drive?
  private let shift_ms: Int64
  /// The parked vehicle after the end, and the time of the last epoch.
  private let ending: (epoch: PlayedEpoch, time_ms: Int64)?

  /// - Parameter holds: whether the vehicle stays on parked after the end. It does not if no epoch has a time.
  init(_ epochs: [PlayedEpoch], start: StartTime, holds: Bool) {
    self.epochs = epochs
    let first_ms = epochs.first { $0.time_ms != nil }?.time_ms ?? 0
    switch start {
    case .recorded: shift_ms = 0
    case .now: shift_ms = StartTime.now_ms - first_ms
    case .at(let start_ms): shift_ms = start_ms - first_ms
    }
    if holds, let last = epochs.last(where: { $0.fix != nil }),
      let end_ms = epochs.last(where: { $0.time_ms != nil })?.time_ms
    {
      ending = (last, end_ms + shift_ms)
    } else {
      ending = nil
    }
  }

  init(toAndFro drive: Drive) {
    self.init([], start: .recorded, holds: false)
    endless = drive
  }

  /// The epoch and what to add to its times; nil after the end.
  func epoch(_ index: Int) -> (epoch: PlayedEpoch, shift_ms: Int64)? {
    if let endless { return (PlayedEpoch(endless.toAndFro(index)), 0) }
    if index < epochs.count { return (epochs[index], shift_ms) }
    guard let ending else { return nil }
    let time_ms = ending.time_ms + Int64(index - epochs.count + 1) * 1000
    return ending.epoch.parked(at: time_ms).map { ($0, 0) }
  }
}
