/// Finds the one record that the server cannot take, and tells it from a server that takes nothing.
///
/// Halves the batch until the record is alone. Alone and refused it is still not convicted: a wrong url or a
/// broken release refuses every record, and a dead network breaks every connection. The proof is a request
/// without the record that the server takes. Until then the record stays in the queue.
struct Bisection: Equatable, Sendable {
  struct Culprit: Equatable, Sendable {
    var sequence: Int64
    var reason: String
  }

  /// A connection that breaks so often with the same first record may be that record's doing: one that makes
  /// the server's program fall over gets no reply, and neither does one too many behind a broken link.
  static let dropsUntilSuspect = 5
  /// So often the record must fail alone, each time after another request got through. One failure would be
  /// proof of nothing where every third packet is lost.
  static let strikesUntilGuilty = 5

  /// Among so many of the oldest records is the one; 0: none is suspected.
  private(set) var suspects = 0
  /// Failed alone, or were refused by name; what is missing is a request without them that the server takes.
  private(set) var accused: [Culprit] = []
  /// They have failed before, and other records with them: a server that takes others now may have changed.
  private var isAccusedAgain = false
  /// The next request should go without the accused.
  private(set) var wantsProbe = false
  /// The server took something since the accused failed last, or since the search began.
  private var othersTaken = false
  private var strikes = 0
  /// Requests without the accused, up to the kind that the server took: that one is made again.
  private(set) var probes = 0
  /// The first record of the requests that got no reply, and how many there were.
  private var droppedFirst: Int64?
  private var drops = 0
  /// What the server answered to the last batch that it refused; 0 where it said nothing.
  private var status = 0

  /// Records in the next request.
  func limit(upTo ceiling: Int) -> Int { min(ceiling, suspects > 0 ? max(1, suspects / 2) : .max) }

  /// More than one record, and the server refuses them.
  mutating func refused(count: Int, status: Int = 0) {
    // Another answer is another trouble: what was taken before it proves nothing.
    if suspects == 0 || status != self.status { othersTaken = false }
    suspects = count
    self.status = status
  }

  /// One record by itself, or those that the server named. - Returns: them, once they are convicted.
  mutating func refusedAlone(_ culprits: [Culprit], status: Int) -> [Culprit] {
    // In other words than the batch before, it may be the server that has changed.
    if suspects > 0, othersTaken, status == self.status { return convict(culprits) }
    self.status = status
    accuse(culprits)
    return []
  }

  /// Something was sent, and the connection ended without a reply.
  ///
  /// - Returns: whether so many records are suspected, and the record, once it is convicted.
  mutating func connectionDropped(_ sent: [Int64]) -> (isSuspect: Bool, culprits: [Culprit]) {
    guard let first = sent.first else { return (false, []) }
    if first != droppedFirst { (droppedFirst, drops, strikes) = (first, 0, 0) }
    drops += 1
    guard suspects > 0 || drops >= Bisection.dropsUntilSuspect else { return (false, []) }
    if sent.count > 1 {
      refused(count: sent.count)
      return (true, [])
    }
    let culprit = Culprit(
      sequence: first, reason: "the connection breaks with this record alone, and not with others")
    if suspects > 0, othersTaken { strikes += 1 }
    if strikes >= Bisection.strikesUntilGuilty { return (true, convict([culprit])) }
    accuse([culprit])
    return (true, [])
  }

  /// The server has these.
  ///
  /// - Parameter isInSequence: they are the next of what is searched through; if not, they came from elsewhere.
  /// - Returns: the records that this convicts.
  mutating func taken(_ sequences: [Int64], isInSequence: Bool) -> [Culprit] {
    wantsProbe = false
    probes = isInSequence ? 0 : max(0, probes - 1)
    if let droppedFirst, sequences.contains(droppedFirst) { (self.droppedFirst, drops) = (nil, 0) }
    guard suspects > 0 else { return [] }
    othersTaken = true
    if !isInSequence {
      if accused.contains(where: { sequences.contains($0.sequence) }) { return [] }
      // After broken connections, or where others were refused too, it must fail once more; after a refusal in words,
      // this was the proof.
      return isAccusedAgain || accused.contains { $0.sequence == droppedFirst } ? [] : convict(accused)
    }
    accused = []
    suspects = max(0, suspects - sequences.count)
    if suspects == 0 { (othersTaken, strikes) = (false, 0) }
    return []
  }

  mutating func probeSent() {
    wantsProbe = false
    probes += 1
  }

  private mutating func accuse(_ culprits: [Culprit]) {
    suspects = max(suspects, culprits.count)
    othersTaken = false
    isAccusedAgain = !accused.isEmpty && accused.first?.sequence == culprits.first?.sequence
    accused = culprits
    wantsProbe = true
  }

  private mutating func convict(_ culprits: [Culprit]) -> [Culprit] {
    if culprits.isEmpty { return [] }
    let probes = probes
    self = Bisection()
    self.probes = probes
    return culprits
  }
}
