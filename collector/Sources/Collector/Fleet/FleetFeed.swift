/// What is new of vehicles, for whoever watches a page. It is read once for all of them (``FleetTeller``), and each holds a
/// text a vehicle at most, the newest: however slow a watcher reads, he costs no more.
final class FleetFeed: Sendable {
  /// So many watch at a time.
  static let most = 500

  private struct Watcher {
    var texts: [ExactName: String] = [:]
    var signal: AsyncStream<Void>.Continuation
    var pass: Pass
  }

  private struct State {
    var next = 0
    var watchers: [Int: Watcher] = [:]
    /// Of which something is new that nobody has read yet.
    var names: Set<ExactName> = []
  }

  /// A page that watches, until ``FleetFeed/end(_:)``.
  struct Watch: Sendable {
    fileprivate let number: Int
    /// One signal for any number of changes since ``FleetFeed/take(_:)``.
    let signals: AsyncStream<Void>
    let continuation: AsyncStream<Void>.Continuation
  }

  /// One signal for any number of names since ``takeNames()``.
  let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation
  private let state = Locked(State())

  // Set once, before anything is published.
  private let others = Locked<(any ChangeStorage)?>(nil)

  init() {
    (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Collectors that share a database tell one another.
  func connect(to store: any ChangeStorage) {
    others.with { $0 = store }
    store.listen { [weak self] device in self?.note(device) }
  }

  func publish(_ device: String) {
    note(device)
    others.with { $0 }?.tell(device)
  }

  private func note(_ device: String) {
    let isWatched = state.with { state in
      if !state.watchers.isEmpty { state.names.insert(ExactName(device)) }
      return !state.watchers.isEmpty
    }
    if isWatched { changed.yield() }
  }

  /// The vehicles of which something is new since the last call.
  func takeNames() -> Set<ExactName> {
    state.with { state in
      defer { state.names = [] }
      return state.names
    }
  }

  /// - Parameter texts: by vehicle.
  func tell(_ texts: [ExactName: String]) {
    state.with { state in
      for number in state.watchers.keys {
        state.watchers[number]?.texts.merge(texts) { $1 }
        state.watchers[number]?.signal.yield()
      }
    }
  }

  /// Nil where too many watch.
  func watch(by pass: Pass = .always) -> Watch? {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.with { state -> Int? in
      guard state.watchers.count < Self.most else { return nil }
      state.next += 1
      state.watchers[state.next] = Watcher(signal: continuation, pass: pass)
      return state.next
    }
    return number.map { Watch(number: $0, signals: signals, continuation: continuation) }
  }

  /// What was told since the last call, by name.
  func take(_ watch: Watch) -> [String] {
    let texts = state.with { state in
      defer { state.watchers[watch.number]?.texts = [:] }
      return state.watchers[watch.number]?.texts ?? [:]
    }
    return texts.sorted { $0.key.text < $1.key.text }.map(\.value)
  }

  func end(_ watch: Watch) {
    state.with { $0.watchers[watch.number] = nil }
    watch.continuation.finish()
  }

  /// Whether those who watch still may is looked at (``FleetTeller``), also where nothing is new.
  func lookAgain() { changed.yield() }

  var passes: Set<Pass> { Set(state.with { $0.watchers.values.map(\.pass) }) }

  /// Ends their lines. Nothing more is told there.
  func end(_ passes: Set<Pass>) {
    let ended = state.with { state in
      let ended = state.watchers.filter { passes.contains($0.value.pass) }
      for number in ended.keys { state.watchers[number] = nil }
      return ended.values
    }
    for watcher in ended { watcher.signal.finish() }
  }

  /// The pages come again, and ask for the whole fleet.
  func endAll() {
    for watcher in state.with({ $0.watchers.values }) { watcher.signal.finish() }
  }

  var count: Int { state.with { $0.watchers.count } }
}
