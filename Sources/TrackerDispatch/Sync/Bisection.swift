import TrackerBase

/// Finds the one record that the server cannot take, and distinguishes it from a server that takes nothing.
///
/// Halves the batch until the record is alone. Alone and refused it is still not convicted: a wrong url or a
/// broken release refuses every record, and a dead network breaks every connection. The proof is a request
/// without the record that the server takes. Until then the record stays in the queue.
struct Bisection: Equatable, Sendable {
  struct Culprit: Equatable, Sendable {
    var sequence: Int64
    var reason: String
  }

  enum State: Equatable, Sendable {
    /// No record is suspected.
    case idle
    /// Among the suspects is the one: each request in sequence takes half of them.
    case halving(Suspects)
    /// Some failed alone, or were refused by name: what is missing is a request without them that the server takes.
    case proving(Suspects, Accused)
  }

  /// The oldest records of the queue.
  struct Suspects: Equatable, Sendable {
    var count = 0
    /// What the server answered to the last batch that it refused; 0 where it said nothing.
    var status = 0
    /// The server took something since the search began, or since the accused failed last.
    var othersTaken = false
    /// So often the accused was refused alone without a word, each time after the server had taken others at once.
    var strikes = 0
  }

  struct Accused: Equatable, Sendable {
    var culprits: [Culprit]
    /// They must fail once more after others were taken: they were not named, or have failed before with others beside
    /// them. A server that takes others now may have changed.
    var isDoubtful: Bool
    /// The next request should go without them.
    var wantsProbe = true
  }

  /// Requests in a row that got no reply, and the record that they all began with.
  private struct Drops: Equatable, Sendable {
    var first: Int64
    var count = 0
    /// So many of them were of that record alone, each time after the server had taken others.
    var strikes = 0
  }

  /// A connection that breaks so often with the same first record may be that record's doing: one that makes
  /// the server's program fall over gets no reply, and neither does one too many behind a broken link.
  static let dropsUntilSuspect = 5
  /// So often the record must fail alone, each time after another request got through. One failure would be
  /// proof of nothing where every third packet is lost.
  static let strikesUntilGuilty = 5

  private(set) var state = State.idle
  private var drops: Drops?
  /// Requests without the accused, up to the kind that the server took: that one is made again.
  private(set) var probes = 0

  var isSearching: Bool { state != .idle }

  var accused: [Culprit] { if case .proving(_, let accused) = state { accused.culprits } else { [] } }

  var wantsProbe: Bool { if case .proving(_, let accused) = state { accused.wantsProbe } else { false } }

  private var suspects: Suspects {
    switch state {
    case .idle: Suspects()
    case .halving(let suspects), .proving(let suspects, _): suspects
    }
  }

  /// Records in the next request.
  func limit(upTo ceiling: Int) -> Int { isSearching ? min(ceiling, max(1, suspects.count / 2)) : ceiling }

  /// More than one record, and the server refuses them.
  mutating func refused(count: Int, status: Int = 0) {
    var suspects = suspects
    // Another answer is another trouble: what was taken before it proves nothing.
    if status != suspects.status { (suspects.othersTaken, suspects.strikes) = (false, 0) }
    (suspects.count, suspects.status) = (count, status)
    switch state {
    case .idle, .halving: state = .halving(suspects)
    case .proving(_, let accused): state = .proving(suspects, accused)
    }
  }

  /// One record by itself, or those that the server named.
  ///
  /// - Parameter isBare: the server said nothing of records. One of several backends may be broken, so what is refused
  ///   by chance must be told from what is refused each time.
  /// - Returns: them, once they are convicted.
  mutating func refusedAlone(
    _ culprits: [Culprit], areNamed: Bool, isBare: Bool = false, status: Int
  ) -> [Culprit] {
    var suspects = suspects
    // In other words than the batch before, it may be the server that has changed.
    if suspects.othersTaken, status == suspects.status {
      suspects.strikes += 1
      if !isBare || suspects.strikes >= Bisection.strikesUntilGuilty { return convict(culprits) }
    } else {
      suspects.strikes = 0
    }
    suspects.status = status
    accuse(culprits, areNamed: areNamed, among: suspects)
    return []
  }

  /// Something was sent, and the connection ended without a reply.
  ///
  /// - Returns: whether so many records are suspected, and the record, once it is convicted.
  mutating func connectionDropped(_ sent: [Int64]) -> (isSuspect: Bool, culprits: [Culprit]) {
    guard let first = sent.first else { return (false, []) }
    var drops = drops ?? Drops(first: first)
    if drops.first != first { drops = Drops(first: first) }
    drops.count += 1
    if sent.count == 1, suspects.othersTaken { drops.strikes += 1 }
    self.drops = drops
    guard isSearching || drops.count >= Bisection.dropsUntilSuspect else { return (false, []) }
    if sent.count > 1 {
      refused(count: sent.count)
      return (true, [])
    }
    let culprit = Culprit(
      sequence: first, reason: "the connection breaks with this record alone, and not with others")
    if drops.strikes >= Bisection.strikesUntilGuilty { return (true, convict([culprit])) }
    accuse([culprit], areNamed: false, among: suspects)
    return (true, [])
  }

  /// The server has these.
  ///
  /// - Parameter isInSequence: they are the next of what is searched through; if not, they came from elsewhere.
  /// - Returns: the records that this convicts.
  mutating func taken(_ sequences: [Int64], isInSequence: Bool) -> [Culprit] {
    probes = isInSequence ? 0 : max(0, probes - 1)
    if let first = drops?.first, sequences.contains(first) { drops = nil }
    var suspects = suspects
    suspects.othersTaken = true
    if isInSequence { (suspects.count, suspects.strikes) = (suspects.count - sequences.count, 0) }
    switch state {
    case .idle: break
    case .proving(_, var accused) where !isInSequence:
      accused.wantsProbe = false
      state = .proving(suspects, accused)
      let isTaken = accused.culprits.contains { sequences.contains($0.sequence) }
      if !isTaken, !accused.isDoubtful { return convict(accused.culprits) }
    case .halving, .proving:
      state = suspects.count > 0 ? .halving(suspects) : .idle
      if !isSearching { drops?.strikes = 0 }
    }
    return []
  }

  /// A request without the accused was refused too: the server may refuse anything.
  mutating func othersRefused() {
    guard case .proving(var suspects, let accused) = state else { return }
    (suspects.othersTaken, suspects.strikes) = (false, 0)
    state = .proving(suspects, accused)
  }

  mutating func probeSent() {
    probes += 1
    guard case .proving(let suspects, var accused) = state else { return }
    accused.wantsProbe = false
    state = .proving(suspects, accused)
  }

  private mutating func accuse(_ culprits: [Culprit], areNamed: Bool, among suspects: Suspects) {
    var suspects = suspects
    suspects.count = max(suspects.count, culprits.count)
    suspects.othersTaken = false
    let isRepeated = accused.first != nil && accused.first?.sequence == culprits.first?.sequence
    state = .proving(suspects, Accused(culprits: culprits, isDoubtful: isRepeated || !areNamed))
  }

  private mutating func convict(_ culprits: [Culprit]) -> [Culprit] {
    (state, drops) = (.idle, nil)
    return culprits
  }
}
