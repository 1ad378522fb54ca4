/// What a running agent holds and cannot exchange for something else without a moment in which it holds neither.
public enum FixedSettings {
  /// - Returns: the first such setting that differs, nil if a reload can apply all of it.
  public static func change(from old: Settings, to new: Settings) -> String? {
    if old.queue.path != new.queue.path { return "queue.path" }
    if old.others.map(\.name) != new.others.map(\.name) { return "sync.also" }
    if old.run.directory != new.run.directory { return "run.directory" }
    let (line, wanted) = (old.gps.power, new.gps.power)
    if line.mode != wanted.mode { return "gps.power.mode" }
    if line.chip != wanted.chip { return "gps.power.chip" }
    if line.line != wanted.line { return "gps.power.line" }
    return line.activeLow == wanted.activeLow ? nil : "gps.power.active_low"
  }
}
