/// Tells whoever watches a page that something of a vehicle is new. Holds names alone: however slow a watcher reads, he
/// costs a name a vehicle.
final class FleetFeed: Sendable {
  /// So many watch at a time.
  static let most = 500

  private struct Watcher {
    var names: Set<String> = []
    var signal: AsyncStream<Void>.Continuation
  }

  private struct Watchers {
    var next = 0
    var all: [Int: Watcher] = [:]
  }

  /// A page that watches, until ``FleetFeed/end(_:)``.
  struct Watch: Sendable {
    fileprivate let number: Int
    /// One signal for any number of changes since ``FleetFeed/take(_:)``.
    let signals: AsyncStream<Void>
    let continuation: AsyncStream<Void>.Continuation
  }

  private let watchers = Locked(Watchers())

  // Set once, before anything is published.
  private let others = Locked<(any ChangeStorage)?>(nil)

  /// Collectors that share a database tell one another.
  func connect(to store: any ChangeStorage) {
    others.with { $0 = store }
    store.listen { [weak self] device in self?.show(device) }
  }

  func publish(_ device: String) {
    show(device)
    others.with { $0 }?.tell(device)
  }

  private func show(_ device: String) {
    watchers.with { watchers in
      for number in watchers.all.keys {
        watchers.all[number]?.names.insert(device)
        watchers.all[number]?.signal.yield()
      }
    }
  }

  /// Nil where too many watch.
  func watch() -> Watch? {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = watchers.with { watchers -> Int? in
      guard watchers.all.count < Self.most else { return nil }
      watchers.next += 1
      watchers.all[watchers.next] = Watcher(signal: continuation)
      return watchers.next
    }
    return number.map { Watch(number: $0, signals: signals, continuation: continuation) }
  }

  /// The names of the vehicles of which something is new since the last call.
  func take(_ watch: Watch) -> Set<String> {
    watchers.with { watchers in
      defer { watchers.all[watch.number]?.names = [] }
      return watchers.all[watch.number]?.names ?? []
    }
  }

  func end(_ watch: Watch) {
    watchers.with { $0.all[watch.number] = nil }
    watch.continuation.finish()
  }

  var count: Int { watchers.with { $0.all.count } }
}
