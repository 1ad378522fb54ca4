/// The rules of a time zone: what to add to Unix time to get the time on the wall.
public protocol ZoneRules: Sendable {
  /// Seconds east of UTC in force at the instant; less than two days in size.
  func offset_s(at unix_s: Int64) -> Int
  /// The first instant after the given one at which the offset changes; nil when it stays for ever.
  func nextTransition(after unix_s: Int64) -> Int64?
}

/// One offset for ever.
public struct FixedZone: ZoneRules, Equatable {
  public static let utc = FixedZone(offset_s: 0)
  let offset_s: Int

  public init(offset_s: Int) { self.offset_s = offset_s }

  public func offset_s(at unix_s: Int64) -> Int { offset_s }
  public func nextTransition(after unix_s: Int64) -> Int64? { nil }
}

/// A zone as the list of its changes.
public struct TransitionZone: ZoneRules, Equatable {
  public struct Transition: Equatable, Sendable {
    /// The first instant of the new offset.
    public var at_s: Int64
    public var offset_s: Int

    public init(at_s: Int64, offset_s: Int) {
      self.at_s = at_s
      self.offset_s = offset_s
    }
  }

  let initial_s: Int
  let transitions: [Transition]

  /// - Parameter transitions: in any order; the offset before the first is `initial_s`. Entries that change
  ///   nothing are dropped.
  public init(initial_s: Int, transitions: [Transition]) {
    self.initial_s = initial_s
    var kept: [Transition] = []
    for transition in transitions.sorted(by: { $0.at_s < $1.at_s })
    where transition.offset_s != (kept.last?.offset_s ?? initial_s) {
      kept.append(transition)
    }
    self.transitions = kept
  }

  public var contents: (initial_s: Int, changes: [Transition]) { (initial_s, transitions) }

  public func offset_s(at unix_s: Int64) -> Int {
    let index = firstIndex(after: unix_s)
    return index == 0 ? initial_s : transitions[index - 1].offset_s
  }

  public func nextTransition(after unix_s: Int64) -> Int64? {
    let index = firstIndex(after: unix_s)
    return index < transitions.count ? transitions[index].at_s : nil
  }

  /// Index of the first transition later than the instant.
  private func firstIndex(after unix_s: Int64) -> Int {
    transitions.partitioningIndex { $0.at_s > unix_s }
  }
}

extension ZoneRules {
  /// Seconds since 1970-01-01 00:00 on the wall clock.
  public func local_s(at unix_s: Int64) -> Int64 { unix_s + Int64(offset_s(at: unix_s)) }

  /// The first instant at which the wall clock shows the local time or, where the clock jumps over it, a later
  /// one: the first of two occurrences in an overlap, the end of the jump in a gap.
  public func firstInstant(reaching local_s: Int64) -> Int64 {
    var segment = local_s - zoneReach_s
    while true {
      let wanted = max(segment, local_s - Int64(offset_s(at: segment)))
      guard let next = nextTransition(after: segment), next <= wanted else { return wanted }
      segment = next
    }
  }

  /// The furthest that the wall clock has been by now: ahead of what it shows while it repeats an hour.
  func furthestLocal_s(at unix_s: Int64) -> Int64 {
    var furthest = local_s(at: unix_s)
    var segment = unix_s - zoneReach_s
    while let next = nextTransition(after: segment), next <= unix_s {
      furthest = max(furthest, local_s(at: next - 1))
      segment = next
    }
    return furthest
  }
}

/// No offset and no jump of a zone is as large as this, so a local time is looked for no further away. The
/// largest in the tz database are offsets of 15 h 13 min and jumps of 24 h.
let zoneReach_s: Int64 = 2 * 86_400
