/// What the steps of one value want, in order, until it is taken and seen to. Its memory is used again: each report would
/// ask for some anew.
struct Wanted<Action> {
  private var actions: [Action] = []

  var isEmpty: Bool { actions.isEmpty }

  mutating func append(_ action: Action) { actions.append(action) }

  /// All of them. Whoever has seen to them gives them back.
  mutating func take() -> [Action] {
    defer { actions = [] }
    return actions
  }

  mutating func giveBack(_ taken: consuming [Action]) {
    // What has come meanwhile has memory of its own.
    guard actions.isEmpty else { return }
    taken.removeAll(keepingCapacity: true)
    actions = taken
  }
}

extension Wanted: Sendable where Action: Sendable {}
