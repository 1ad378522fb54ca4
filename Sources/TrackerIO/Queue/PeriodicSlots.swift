/// The slots of the front that have `Commit.periodicKeys`: written when these have changed, in turn, each before the slot
/// of the commit that brought them.
struct PeriodicSlots {
  /// The newest whole one; nil: there is none yet.
  var newest: (index: Int, slot: FrontSlot)?

  init() {}

  /// - Parameter queueID: what another queue has left does not count.
  init(ofFile path: String, queueID: UInt64) {
    // One that is torn or gone leaves the one before it: nothing is said of them.
    var found = QueueFront.Found()
    newest = QueueFront.slots(path, &found, .periodic).filter { $0.slot.queueID == queueID }
      .max { $0.slot.generation < $1.slot.generation }
  }

  /// Whether `values` are to be written beside the slot `nextSlot`. Never over the newest ones: should the power go
  /// meanwhile these are left, and the next commit's turn is the other slot's.
  ///
  /// - Parameter base: the generation up to which the tables have everything.
  func isDue(_ values: [String: String], nextSlot: Int, base: Int64) -> Bool {
    guard let newest, newest.slot.generation > base else { return !values.isEmpty }
    return newest.slot.content.state != values && newest.index != nextSlot
  }
}
