public enum ClockTrust: String, CaseIterable, Sendable {
  case untrusted, gps, synchronised
}
