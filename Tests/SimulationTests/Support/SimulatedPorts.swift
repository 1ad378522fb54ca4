import TrackerAgent
import TrackerBase
import TrackerIO
import TrackerLab

@testable import godwit

/// Whether the process lives. It may be reported to die at a coming effect, before or after that happens.
final class Life {
  private(set) var isOver = false
  private var effectsLeft: Int?
  private var lastOneHappens = false

  func end(afterEffects count: Int, lastOneHappens: Bool) {
    effectsLeft = count
    self.lastOneHappens = lastOneHappens
  }

  func endNow() { isOver = true }

  /// - Returns: whether the effect takes place.
  func effect() -> Bool {
    if isOver { return false }
    guard let left = effectsLeft else { return true }
    effectsLeft = left - 1
    guard left <= 0 else { return true }
    isOver = true
    return lastOneHappens
  }
}

/// The real queue behind a disk that fails now and then.
final class FaultyStorage: StoragePort {
  private let world: SimulatedWorld
  private let storage: Storage
  private let queue: QueueStore
  private let life: Life

  init(world: SimulatedWorld, storage: Storage, queue: QueueStore, life: Life) {
    self.world = world
    self.storage = storage
    self.queue = queue
    self.life = life
  }

  func commit(_ commit: Commit) -> [Event] {
    guard life.effect() else { return [] }
    if world.meets(.diskFull) { return [.commitFailed("simulated: disk full")] }
    let news = storage.commit(commit)
    if news.contains(where: { if case .committed = $0 { true } else { false } }) {
      if let redating = commit.redating {
        world.recorded = world.recorded.mapValues { redating.applied(to: $0) ?? $0 }
      }
      for record in commit.records { world.recorded[record.sequence] = record }
    }
    for event in news {
      if case .committed = event { world.saved.merge(commit.state) { $1 } }
      if case .committed = event { world.committed.formUnion(commit.records.map(\.sequence)) }
    }
    if !life.isOver, world.meets(.commitUnknown) {
      return [.commitFailed("simulated: I/O error on fsync")]
    }
    return news
  }

  func remove(_ sequences: [Int64], server: Int) -> [Event] {
    guard life.effect() else { return [.queueShrank(queued: 0, server: server)] }
    for sequence in sequences where !world.servers[server].has(sequence, waiting(sequence, for: server)) {
      world.violations.note("N1", "record \(sequence) leaves the queue, and the server does not have it")
    }
    if world.meets(.removalFails) {
      return [.queueShrank(queued: queue[server].count, server: server)]
    }
    return storage.remove(sequences, server: server)
  }

  func renumber(_ sequences: [Int64], renews: Bool) -> [Event] {
    guard life.effect() else { return [.queueShrank(queued: 0)] }
    return storage.renumber(sequences, renews: renews)
  }

  /// The record with this number that waits for the server; nil if none does.
  private func waiting(_ sequence: Int64, for server: Int) -> Record? {
    let page = try? queue[server].page(after: sequence - 1, limit: 1)
    return page?.records.first { $0.sequence == sequence }
  }

  func quarantine(_ sequence: Int64, reason: String, server: Int) -> [Event] {
    guard life.effect() else { return [.queueShrank(queued: 0, server: server)] }
    let receiver = world.servers[server]
    if !receiver.hasFailedAlone(sequence, waiting(sequence, for: server)) {
      world.violations.note("N1", "record \(sequence) goes into quarantine, and was not refused alone")
    }
    if !receiver.isPoison(sequence), !receiver.othersTaken {
      world.violations.note("N1", "record \(sequence) goes into quarantine, and the server took nothing else")
    }
    receiver.setAside(sequence, at: world.clock.now_ms)
    return storage.quarantine(sequence, reason: reason, server: server)
  }
}

/// The file of `RunState` on the same disk.
final class FaultyStanding: RunStatePort {
  private let world: SimulatedWorld
  private let life: Life

  init(world: SimulatedWorld, life: Life) {
    self.world = world
    self.life = life
  }

  func save(_ value: JSONValue) -> Event? {
    guard life.effect() else { return nil }
    if world.meets(.diskFull) { return .runStateNotSaved("simulated: disk full") }
    world.runState = value
    world.wishes.wereSaved()
    return nil
  }
}

/// The module, its power line and gpsd, with their faults.
final class FaultyReceiver: GPSPort, PowerPort, Happening {
  private let world: SimulatedWorld
  private let life: Life
  private let spoiling: Spoiling
  private var receiver: VirtualReceiver { world.receiver }
  private var isConnected = false

  init(world: SimulatedWorld, life: Life) {
    self.world = world
    self.life = life
    spoiling = Spoiling(world)
  }

  private func has(_ fault: Fault) -> Bool { world.meets(fault) }

  func set(_ on: Bool) -> Event? {
    guard life.effect() else { return nil }
    if has(.powerLineStuck) { return .powerFailed("simulated: the line is stuck") }
    return receiver.set(on)
  }

  var descriptors: [PollDescriptor] { isConnected ? [PollDescriptor(descriptor: -1)] : [] }

  func connect() -> Event? {
    guard life.effect() else { return nil }
    if has(.gpsdRefuses) { return .gpsLost("simulated: connection refused") }
    isConnected = true
    return receiver.connect()
  }

  func disconnect() {
    isConnected = false
    receiver.disconnect()
  }

  var nextNews_ms: Int64? { isConnected ? receiver.nextNews_ms : nil }

  func receive(ready: [Int32]) -> [Event] {
    let news = receiver.receive(ready: ready)
    guard isConnected, news.isEmpty || !has(.gpsdSilent) else { return [] }
    if has(.gpsdRefuses) {
      isConnected = false
      return [.gpsLost("simulated: gpsd has gone")]
    }
    return news.flatMap { event -> [Event] in
      guard case .gpsReport(let report) = event else { return [event] }
      return spoiling.between(report).map(Event.gpsReport) + [.gpsReport(spoilt(report))]
    }
  }

  private func spoilt(_ report: GPSReport) -> GPSReport {
    if has(.noSky) { return GPSReport(mode: 1) }
    var spoilt = report
    if world.plan.isActive(.jumps, at: world.clock.now_ms), world.random.uniform() < 0.05, has(.jumps) {
      spoilt.latitude_deg = report.latitude_deg.map { $0 + 0.5 }
      return spoilt
    }
    if world.plan.isActive(.garbage, at: world.clock.now_ms), world.random.uniform() < 0.2, has(.garbage) {
      switch Int(world.random.uniform() * 5) {
      case 0: spoilt.accuracy_m = 5000
      case 1: (spoilt.latitude_deg, spoilt.longitude_deg) = (0, 0)
      case 2: spoilt.time_ms = report.time_ms.map { $0 - 619_315_200_000 }
      case 3: spoilt.latitude_deg = 1234
      default: spoilt.time_ms = nil
      }
      return spoilt
    }
    if let reported = spoiling.misplaced(report) { return reported }
    if report.mode >= 2 {
      world.offeredFixes += 1
      if world.drive != nil { world.goodFixes += 1 }
    }
    return report
  }
}

/// Everything that only brings news: signals, the clock, the link, the ignition, a person.
final class Newsstand: Source, Happening {
  private let clock: VirtualClock
  private var waiting: [Event] = []

  init(clock: VirtualClock) { self.clock = clock }

  var nextNews_ms: Int64? { waiting.isEmpty ? nil : clock.now_ms }
  var descriptors: [PollDescriptor] { [] }

  func add(_ event: Event) { waiting.append(event) }

  func receive(ready: [Int32]) -> [Event] {
    defer { waiting = [] }
    return waiting
  }
}

/// Keeps the log's last lines, for the report of a failing seed.
final class Journal: StatusPort {
  private let world: SimulatedWorld

  init(_ world: SimulatedWorld) { self.world = world }

  func log(_ level: RunSettings.LogLevel, _ text: String) {
    world.noteLog("\(level.rawValue) \(text)")
    guard text.hasPrefix("the server wants: "), text.hasSuffix(")"), let open = text.lastIndex(of: "(") else {
      return
    }
    world.wasBegun(String(text[text.index(after: open)...].dropLast()))
  }

  func publish(_ status: TrackerStatus) {}
  func started() {}
  func stopping() {}
  func alive(at now: Moment, gpsIsOn: Bool) -> Int64? { nil }
}
