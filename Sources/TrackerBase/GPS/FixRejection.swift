public enum FixRejection: String, FigureChoice {
  case noTime = "no_time"
  case position = "impossible_position"
  case accuracy = "accuracy"
  case stale = "stale"
  case duplicate = "duplicate"
  case backwards = "time_backwards"
  case ahead = "time_ahead"
  case undated = "date_not_known"
  /// Of another place, see `Verdict.jump`.
  case elsewhere = "elsewhere"
}
