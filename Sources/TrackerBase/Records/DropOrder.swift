/// What goes when there is no room, least valuable first. The raw value is the end of the cause in the ledger.
public enum DropOrder: String, CaseIterable, Sendable {
  case positions
  case refused = "quarantined"
  case events
}
