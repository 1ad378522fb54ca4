import Glibc
import TrackerBase
import TrackerIO

/// What much in the queue costs.
struct Scale {
  var big = 0
  var cpuPerRecordEmpty_us = 0.0
  var cpuPerRecordBig_us = 0.0
  var insertsPerSecond = 0.0
  var drainRecords = 0
  var drain_s = 0.0
  var drainCPU_s = 0.0
  var residentEmpty_kB = 0
  var residentBig_kB = 0
  var openBig_s = 0.0

  static func measure(folder: String, big: Int) throws -> Scale {
    var scale = Scale(big: big)
    let (small, large) = (folder + "/small/queue.db", folder + "/large/queue.db")
    do {
      let store = try QueueStore(path: small)
      scale.cpuPerRecordEmpty_us = try leastCPU_us(store, from: 1)
    }
    do {
      let store = try QueueStore(path: large)
      let began_s = Meters.now_s
      try fill(store, 1...Int64(big))
      scale.insertsPerSecond = Double(big) / (Meters.now_s - began_s)
      scale.cpuPerRecordBig_us = try leastCPU_us(store, from: Int64(big) + 1)
    }
    scale.residentEmpty_kB = try other("--open", small)
    scale.residentBig_kB = try other("--open", large)
    let began_s = Meters.now_s
    let store = try QueueStore(path: large)
    scale.openBig_s = Meters.now_s - began_s
    try scale.drain(store, records: min(100_000, big))
    return scale
  }

  /// A new process opens the queue, works with it a little, and prints its memory in kB.
  static func printResident(path: String) throws {
    let store = try QueueStore(path: path)
    let last = store.restore().lastSequence
    _ = try dailyCPU_us(store, from: last + 1)
    _ = try store[0].batch(limit: 100)
    print(Meters.residentKB)
  }

  /// Of five times, since the two queues are measured one after the other.
  private static func leastCPU_us(_ store: QueueStore, from first: Int64) throws -> Double {
    try (0..<5).map { try dailyCPU_us(store, from: first + $0 * 10 * groups) }.min() ?? 0
  }

  private static let groups: Int64 = 500

  /// Ten records in a commit, and their removal: microseconds a record.
  private static func dailyCPU_us(_ store: QueueStore, from first: Int64) throws -> Double {
    let began_s = Meters.cpu_s
    for group in 0..<groups {
      let start = first + group * 10
      try store.commit(Commit(records: (start..<(start + 10)).map(record), state: ["odometer_m": "\(start)"]))
      try store[0].remove(Array(start..<(start + 10)))
    }
    return (Meters.cpu_s - began_s) * 1e6 / Double(groups * 10)
  }

  private static func fill(_ store: QueueStore, _ sequences: ClosedRange<Int64>) throws {
    for start in stride(from: sequences.lowerBound, through: sequences.upperBound, by: 1000) {
      let end = min(start + 999, sequences.upperBound)
      try store.commit(Commit(records: (start...end).map(record)))
    }
  }

  /// As the agent does: events go first.
  private mutating func drain(_ store: QueueStore, records: Int) throws {
    let (began_s, cpu_s) = (Meters.now_s, Meters.cpu_s)
    while drainRecords < records {
      let events = try store[0].records(for: UploadOrder(pick: .events, limit: 100))
      let batch = try events.isEmpty ? store[0].batch(limit: 100) : events
      try store[0].remove(batch.map(\.sequence))
      drainRecords += batch.count
    }
    drain_s = Meters.now_s - began_s
    drainCPU_s = Meters.cpu_s - cpu_s
  }

  private static func other(_ option: String, _ path: String) throws -> Int {
    guard let pipe = popen("exec /proc/\(getpid())/exe \(option) \(path)", "r") else {
      throw BenchmarkError("cannot start a second process")
    }
    defer { pclose(pipe) }
    var line = [CChar](repeating: 0, count: 64)
    guard fgets(&line, 64, pipe) != nil,
      let number = Int(line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.filter(\.isNumber))
    else { throw BenchmarkError("the second process printed nothing") }
    return number
  }

  private static func record(_ sequence: Int64) -> Record {
    let drift = Double(sequence % 10_000) * 1e-4
    let fix = Fix(
      time_ms: 1_772_434_800_000 + sequence * 1000,
      position: Position(latitude_deg: 47 + drift, longitude_deg: 8 + drift), altitude_m: 408.5,
      speed_mps: 13.89, course_deg: 271.3, accuracy_m: 6, satellites: 9)
    // As many as on the reference day.
    let content: Record.Content = sequence % 15 == 0 ? .activity(.driving, from: .idling) : .position()
    return Record(
      sequence: sequence, content: content, time_ms: fix.time_ms, timeSource: .gps,
      boot_ms: sequence * 1000, fix: fix, isMoving: true, tripID: 7, odometer_m: Double(sequence) * 12)
  }
}
