import ArgumentParser

@main
struct QueueBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures the queue; see Benchmarks/queue, which makes the file systems for it.")

  @Option(help: "An empty folder to work in.") var folder = "."
  @Option(help: "The block device under it, such as loop0; without it no bytes are reported.") var device:
    String?
  @Option(help: "MOUNT=FOLDER:DEVICE, where day and drive are played too; may be given again.")
  var live: [String] = []
  @Option(help: "A recorded day (CSV) instead of the generated one.") var day: String?
  @Option(help: "So many minutes of a drive at its own pace; 0 leaves that out.") var liveMinutes = 0.0
  @Option(help: "Records in the big queue; 0 leaves that out.") var big = 1_000_000
  @Flag(help: "The figures as one JSON object.") var json = false
  @Option(help: .hidden) var open: String?
  @Option(help: .hidden) var fill: String?
  @Option(help: .hidden) var fillRecords: Int?

  func run() throws {
    if let open { return try Scale.printResident(path: open) }
    if let fill { return try FilledQueue.make(path: fill, day: day, records: fillRecords) }
    let place = Place(folder: folder, device: device)
    let steps = try DayRecorder.steps(of: try ReferenceDay.track(csv: day))
    var results = Results()
    results.records = steps.reduce(0) { $0 + $1.records }
    results.commits = steps.count { $0.isCommit }
    results.removals = steps.count - results.commits
    if device != nil {
      results.queue = try DayBytes.queue(steps, at: place)
      results.plainDelete = try DayBytes.plain(steps, journal: "DELETE", at: place)
      results.plainWAL = try DayBytes.plain(steps, journal: "WAL", at: place)
      let mounts = try self.mounts()
      for mount in mounts where mount.place.device != device {
        results.otherMounts.append((mount.name, try DayBytes.queue(steps, at: mount.place)))
      }
      if liveMinutes > 0, !mounts.isEmpty { try measureLive(steps, at: mounts, &results) }
    }
    if big > 0 { results.scale = try Scale.measure(folder: folder, big: big) }
    print(json ? results.json : results.table, terminator: "")
  }

  private typealias Mount = (name: String, place: Place)

  private func mounts() throws -> [Mount] {
    let parts = live.map { $0.split(separator: "=").flatMap { $0.split(separator: ":") }.map(String.init) }
    guard parts.allSatisfy({ $0.count == 3 }) else {
      throw BenchmarkError("--live wants MOUNT=FOLDER:DEVICE")
    }
    return parts.map { ($0[0], Place(folder: $0[1], device: $0[2])) }
  }

  private func measureLive(_ steps: [DayStep], at mounts: [Mount], _ results: inout Results) throws {
    let piece = DayBytes.piece(of: steps, minutes: liveMinutes)
    let written = try DayBytes.live(piece, at: mounts.map(\.place))
    results.liveCommits = piece.count { $0.isCommit }
    results.live = zip(mounts, written).map { ($0.name, $1) }
  }
}
