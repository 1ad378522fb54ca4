/// What a running agent holds and cannot exchange for something else without a moment in which it holds neither.
public enum FixedSettings {
  /// - Returns: the first such setting that differs, nil if a reload can apply all of it.
  public static func change(from old: Settings, to new: Settings) -> String? {
    if old.queue.path != new.queue.path { return "queue.path" }
    if old.others.map(\.name) != new.others.map(\.name) { return "sync.also" }
    if old.run.directory != new.run.directory { return "run.directory" }
    return change(from: old.gps.power, to: new.gps.power).map { "gps.power.\($0)" }
  }

  private static func change(from old: GPSPowerSettings, to new: GPSPowerSettings) -> String? {
    let same = [
      ("mode", old.mode == new.mode), ("chip", old.chip == new.chip), ("line", old.line == new.line),
      ("active_low", old.activeLow == new.activeLow), ("pulse_ms", old.pulse_ms == new.pulse_ms),
      ("status_line", old.statusLine == new.statusLine),
      ("status_active_low", old.statusActiveLow == new.statusActiveLow),
      ("status_timeout_s", old.statusTimeout_s == new.statusTimeout_s),
      ("command", old.command == new.command),
    ]
    return same.first { !$0.1 }?.0
  }
}
