import ArgumentParser

@main
struct QueueBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures the queue; see Benchmarks/queue, which makes the file systems for it.")

  @Option(help: "An empty folder to work in.") var folder = "."
  @Option(help: "The block device under it, such as loop0; without it no bytes are reported.") var device:
    String?
  @Option(help: "MOUNT=FOLDER:DEVICE, where a drive is played at its own pace; may be given again.")
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
      results.queue_bytes = try DayBytes.queue(steps, at: place)
      results.plainDelete_bytes = try DayBytes.plain(steps, journal: "DELETE", at: place)
      results.plainWAL_bytes = try DayBytes.plain(steps, journal: "WAL", at: place)
      if liveMinutes > 0, !live.isEmpty { try measureLive(steps, &results) }
    }
    if big > 0 { results.scale = try Scale.measure(folder: folder, big: big) }
    print(json ? results.json : results.table, terminator: "")
  }

  private func measureLive(_ steps: [DayStep], _ results: inout Results) throws {
    let piece = DayBytes.piece(of: steps, minutes: liveMinutes)
    let parts = live.map { $0.split(separator: "=").flatMap { $0.split(separator: ":") }.map(String.init) }
    guard parts.allSatisfy({ $0.count == 3 }) else {
      throw BenchmarkError("--live wants MOUNT=FOLDER:DEVICE")
    }
    let bytes = try DayBytes.live(piece, at: parts.map { Place(folder: $0[1], device: $0[2]) })
    results.liveCommits = piece.count { $0.isCommit }
    results.live = zip(parts, bytes).map { ($0[0], $1) }
  }
}
