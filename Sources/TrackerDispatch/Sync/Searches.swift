import TrackerBase

/// What a request takes records from: each has its own search for bad ones.
public enum Lane: Equatable, Sendable, CaseIterable {
  /// The events by themselves: they wait for nothing else.
  case events
  case all
}

/// The search of each lane.
struct Searches: Equatable, Sendable {
  private var lanes: [Lane: Bisection] = [:]

  subscript(lane: Lane) -> Bisection {
    get { lanes[lane] ?? Bisection() }
    set { lanes[lane] = newValue }
  }

  /// A record for a probe is looked for behind 2¹⁰ others at most.
  static let longestSkip = 10

  /// The server has these. What one lane brings is a proof for the search in the other.
  ///
  /// - Returns: what is bad, and whether an accused was taken: then the server has changed.
  mutating func taken(
    _ leaving: [Int64], _ order: UploadOrder, _ lane: Lane
  ) -> (culprits: [Bisection.Culprit], isAcquitted: Bool) {
    var (culprits, isAcquitted) = ([Bisection.Culprit](), false)
    for searching in Lane.allCases {
      let wasAccused = !self[searching].accused.isEmpty
      let isInSequence = order.pick.isInSequence && searching == lane
      culprits += self[searching].taken(leaving, isInSequence: isInSequence)
      if wasAccused, self[searching].accused.isEmpty { isAcquitted = true }
    }
    return (culprits, isAcquitted)
  }

  mutating func othersRefused() {
    for lane in Lane.allCases { self[lane].othersRefused() }
  }

  /// These leave the queue: who looked for one of them has found it.
  mutating func found(_ culprits: [Bisection.Culprit]) {
    let found = Set(culprits.map(\.sequence))
    for lane in Lane.allCases where self[lane].accused.contains(where: { found.contains($0.sequence) }) {
      self[lane] = Bisection()
    }
  }

  /// A request without the record that is suspected; nil where nothing else could be sent.
  ///
  /// - Parameters:
  ///   - most: records of a request.
  ///   - mayAsk: for the status alone.
  mutating func probe(_ lane: Lane, most: Int, queued: Int, mayAsk: Bool) -> UploadOrder? {
    self[lane].probeSent()
    let probes = self[lane].probes
    let others = min(most, queued - 1)
    // Every record that waits may be bad: the third is the status alone.
    if others > 0, !mayAsk || probes % 4 != 3 {
      // There may be several bad ones, the newest among them: single records from ever further behind.
      if probes % 2 == 0 {
        let skip = 1 << min(probes / 2 - 1, Searches.longestSkip)
        return UploadOrder(pick: .later, limit: 1, skip: min(skip, queued - 1))
      }
      return UploadOrder(pick: .newest, limit: probes == 1 ? others : 1)
    }
    return mayAsk ? UploadOrder(pick: .newest, limit: 0, withStatus: true) : nil
  }
}

extension UploadReply {
  /// The records that it refuses by name.
  var namedCulprits: [Bisection.Culprit] {
    refused.sorted { $0.key < $1.key }.map {
      Bisection.Culprit(sequence: $0.key, reason: "\(status) \($0.value)")
    }
  }
}
