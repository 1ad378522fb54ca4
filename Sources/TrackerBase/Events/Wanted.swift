/// What the steps of one value want, in order, until it is taken and seen to. Its memory is used again: each report would
/// ask for some anew.
package struct Wanted<Action> {
  private var actions: [Action] = []

  package init() {}

  package var isEmpty: Bool { actions.isEmpty }

  package mutating func append(_ action: Action) { actions.append(action) }

  /// All of them, the first one last: whoever sees to them takes one after the other off the end, and gives the empty
  /// array back.
  package mutating func take() -> [Action] {
    defer { actions = [] }
    if actions.count > 1 { actions.reverse() }
    return actions
  }

  package mutating func giveBack(_ taken: consuming [Action]) {
    assert(taken.isEmpty, "all of it is seen to")
    // What has come meanwhile has memory of its own.
    if actions.isEmpty { actions = taken }
  }
}

extension Wanted: Sendable where Action: Sendable {}
