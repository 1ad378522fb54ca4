import DriveGenerator
import Glibc
import TrackerBase
import TrackerCore

/// What the core costs: processor time for each report at 1 Hz, and memory, day by day over a month.
///
/// usage: core-cost [DAYS [REPORTS]]
///
/// DAYS (30) of as many REPORTS (36000) each. A generated day of driving and parking is handed to the tracker report by report, as the loop does it, with
/// the GPS always on. Storage and server answer at once and cost nothing.
@main
struct CoreCost {
  static func main() {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let days = numbers.first ?? 30
    let day = reports(numbers.count > 1 ? numbers[1] : 36_000)
    let driving = day.filter { ($0.speed_mps ?? 0) > 1 }.count
    print("\(day.count) reports a day, \(driving) of them driving")
    print("day  us_per_report  records  memory_kB")
    var run = TrackerRun()
    for number in 0..<days {
      let began_ns = cpuTime_ns()
      run.drive(day, day: Int64(number))
      let cost_us = Double(cpuTime_ns() - began_ns) / 1000 / Double(day.count)
      guard number < 3 || (number + 1) % 10 == 0 || number == days - 1 else { continue }
      print("\(number + 1)  \((cost_us * 1000).rounded() / 1000)  \(run.records)  \(memory_kB())")
    }
  }

  static func reports(_ count: Int) -> [GPSReport] {
    var plan = DrivePlan.random(trips: 12, seed: 7)
    plan.legs.append(.park(duration_s: 36_000))
    let epochs = Drive(plan: plan, seed: 7, start_ms: TrackerRun.start_ms).epochs
    return epochs.prefix(count).map { epoch in
      GPSReport(
        mode: epoch.hasFix ? 3 : 1, time_ms: epoch.time_ms, latitude_deg: epoch.latitude_deg,
        longitude_deg: epoch.longitude_deg, altitude_m: epoch.altitude_m, speed_mps: epoch.speed_mps,
        course_deg: epoch.course_deg, hdop: epoch.hdop, satellites: epoch.satellites)
    }
  }

  /// What it has written to: pages of the program come with the first use of what is in them.
  static func memory_kB() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let pages = words.split(separator: " ").compactMap { Int($0) }
    guard pages.count > 2 else { return 0 }
    return (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE)) / 1000
  }

  static func cpuTime_ns() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}

/// The tracker with a storage and a server that answer at once.
struct TrackerRun {
  static let start_ms: Int64 = 1_800_000_000_000
  static let day_ms: Int64 = 86_400_000

  private var tracker: Tracker
  private var queued: [Int64] = []
  private(set) var records = 0

  init() {
    var settings = Settings()
    settings.sync.url = "https://fleet.example/positions"
    settings.motion.gpsOffWhenParked = false
    guard let schedule = try? Schedule(rules: []) else { fatalError("no rule can be wrong") }
    tracker = Tracker(
      Configuration(settings: settings, schedule: schedule, zone: FixedZone.utc), restored: .init(),
      notBefore_ms: 0, isSynchronised: true, at: Moment(boot_ms: 0, wall_ms: TrackerRun.start_ms))
    happen(.started, at: Moment(boot_ms: 0, wall_ms: TrackerRun.start_ms))
  }

  mutating func drive(_ reports: [GPSReport], day: Int64) {
    for var report in reports {
      report.time_ms = report.time_ms.map { $0 + day * TrackerRun.day_ms }
      guard let time_ms = report.time_ms else { continue }
      let now = Moment(boot_ms: time_ms - TrackerRun.start_ms, wall_ms: time_ms)
      while let deadline_ms = tracker.deadline_ms, deadline_ms <= now.boot_ms { happen(.timer, at: now) }
      happen(.gpsReport(report), at: now)
    }
  }

  private mutating func happen(_ event: Event, at now: Moment) {
    for action in tracker.handle(event, at: now, chance: 0.5) {
      switch action {
      case .commit(let commit):
        records += commit.records.count
        queued += commit.records.map(\.sequence)
        happen(.committed(queued: [queued.count]), at: now)
      case .upload:
        let reply = UploadReply(status: 200, contentType: "application/json", sent: queued)
        happen(.uploadFinished(reply), at: now)
      case .remove(let sequences, _):
        queued.removeFirst(min(sequences.count, queued.count))
        happen(.queueShrank(queued: queued.count), at: now)
      default: break
      }
    }
  }
}
