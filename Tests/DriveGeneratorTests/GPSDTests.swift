import DriveGenerator
import Glibc
import Testing

/// A gpsd of the test's own on a port of its own.
private struct GPSD {
  static let path: String? = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd"].first { access($0, X_OK) == 0 }
  let process: ChildProcess
  let port: UInt16

  init(device: String, folder: TemporaryFolder) throws {
    port = UInt16(freePort())
    let path = try #require(GPSD.path)
    process = try ChildProcess(
      ownIPC + [path, "-N", "-b", "-n", "-S", "\(port)", "-F", folder.file("gpsd.sock"), device],
      output: folder.file("gpsd.log"))
  }

  /// Connects as soon as gpsd listens.
  func connect() throws -> LineReader {
    var descriptor: Int32 = -1
    try waitFor("gpsd to listen") {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      if withAddress(port: port, { Glibc.connect(descriptor, $0, $1) }) == 0 { return true }
      close(descriptor)
      return false
    }
    return try LineReader(descriptor)
  }
}

private func withAddress<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result)
  -> Result
{
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}

@Suite(
  "Under a real gpsd", .enabled(if: GPSD.path != nil, "gpsd is not installed (Debian: apt install gpsd)"))
struct GPSDTests {
  @Test("gpsd reports every fix that was sent, and nothing else")
  func fixes() throws {
    let folder = try TemporaryFolder()
    try folder.write("0", to: "power")
    let feeder = try ChildProcess(
      [
        try ChildProcess.driveFeeder(), "--link", folder.file("tty"), "--speed", "20", "--wait-power",
        "--power-file", folder.file("power"), "--sent", folder.file("sent"),
      ], output: folder.file("out"))
    var status = stat()
    try waitFor("the link") { lstat(folder.file("tty"), &status) == 0 }
    let gpsd = try GPSD(device: folder.file("tty"), folder: folder)
    let client = try gpsd.connect()
    let watch = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
    try #require(write(client.descriptor, watch, watch.count) == watch.count)
    _ = try client.skip(to: "\"activated\":\"")
    try folder.write("1", to: "power")

    // Past the minute in the parking place, so that some of them move.
    let reported = try reports(from: client, count: 120)
    feeder.terminate()
    feeder.waitForExit()
    let sent = folder.text("sent").split(separator: "\n").map(String.init)
    // The very first fix has no time in gpsd: it takes the date only from an RMC with status A.
    let expected = Array(sent.dropFirst().prefix(reported.count))
    #expect(reported.map(\.time_ms) == expected.compactMap { value("time_ms", in: $0).flatMap { Int64($0) } })
    let errors_m = zip(reported, expected).map { report, line in
      let (latitude_deg, longitude_deg) = (number("lat", in: line) ?? 0, number("lon", in: line) ?? 0)
      return distance_m(report.latitude_deg, report.longitude_deg, latitude_deg, longitude_deg)
    }
    #expect(errors_m.max() ?? 1 < 0.02)
    #expect(reported.contains { $0.speed_mps > 3 })
  }

  private struct Report {
    var time_ms: Int64
    var latitude_deg: Double
    var longitude_deg: Double
    var speed_mps: Double
  }

  /// The first `count` positions that gpsd reports, one for each time.
  private func reports(from client: LineReader, count: Int) throws -> [Report] {
    var reports: [Report] = []
    while reports.count < count {
      let line = try client.skip(to: "\"class\":\"TPV\"")
      guard let latitude_deg = number("lat", in: line), let longitude_deg = number("lon", in: line),
        let text = value("time", in: line), let time = UTCTime(iso8601: text),
        time.unix_ms != reports.last?.time_ms
      else { continue }
      reports.append(
        Report(
          time_ms: time.unix_ms, latitude_deg: latitude_deg, longitude_deg: longitude_deg,
          speed_mps: number("speed", in: line) ?? 0))
    }
    return reports
  }
}
