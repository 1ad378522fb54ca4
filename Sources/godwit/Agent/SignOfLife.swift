/// When the loop says that it turns: to systemd's watchdog, and to the next process by the file `alive`.
///
/// What wakes the loop otherwise does for it too, and puts off the next time.
struct SignOfLife {
  /// What the unit says, for a loop that hangs with the GPS on; nil without a watchdog.
  private let closeWatch_ms: Int64?
  /// What the watchdog is told: without another sign for so long the process is killed; nil without one.
  private(set) var watch_ms: Int64?
  private var givenAt_ms: Int64 = .min / 2
  private var notedAt_ms: Int64 = .min / 2

  /// The next process is to know within so long when this one ended, whatever the watchdog wants.
  static let promised_ms: Int64 = 60_000
  static let pause_ms: Int64 = 55_000
  /// Signs that come oftener are not all written down.
  static let note_ms: Int64 = 20_000

  /// With the GPS off a loop that hangs harms nothing at once, and each sign wakes the board.
  static let leisurelyWatch_ms: Int64 = 120_000

  /// Not oftener than this, nor in less than half a pause, however often the loop turns.
  static let least_ms: Int64 = 25_000

  init(watchdog_ms: Int64?) { closeWatch_ms = watchdog_ms }

  /// - Returns: whether one is to be given now; it counts as given.
  mutating func isDue(at now_ms: Int64, gpsIsOn: Bool) -> Bool {
    let wanted_ms = closeWatch_ms.map { gpsIsOn ? $0 : max($0, SignOfLife.leisurelyWatch_ms) }
    defer { watch_ms = wanted_ms }
    guard wanted_ms != watch_ms || now_ms - givenAt_ms >= min(pause_ms(wanted_ms) / 2, SignOfLife.least_ms)
    else {
      return false
    }
    givenAt_ms = now_ms
    return true
  }

  /// The file is to be written with the sign that was just given, since it is old, or would be too old by the next one.
  var wantsNote: Bool {
    givenAt_ms - notedAt_ms >= SignOfLife.note_ms || next_ms - notedAt_ms > SignOfLife.promised_ms
  }

  /// It was.
  mutating func noted() { notedAt_ms = givenAt_ms }

  /// When the next one is to be given, whatever else happens.
  var next_ms: Int64 { givenAt_ms + pause_ms(watch_ms) }

  /// Twice within what the watchdog waits: one may get lost.
  private func pause_ms(_ watch_ms: Int64?) -> Int64 { min((watch_ms ?? .max) / 2, SignOfLife.pause_ms) }
}
