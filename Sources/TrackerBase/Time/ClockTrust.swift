public enum ClockTrust: String, FigureChoice {
  case untrusted, gps, synchronised
}
