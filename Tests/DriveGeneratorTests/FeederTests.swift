import DriveGenerator
import Glibc
import Testing

/// drive-feeder in a folder of its own.
private struct Feeder {
  let folder: TemporaryFolder
  let process: ChildProcess

  /// Starts it and waits until the serial line is there.
  init(_ options: [String], power: String? = nil, folder: TemporaryFolder? = nil) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    if let power { try folder.write(power, to: "power") }
    let powerOptions = power == nil ? [] : ["--power-file", folder.file("power")]
    process = try ChildProcess(
      [try ChildProcess.driveFeeder(), "--link", folder.file("tty")] + powerOptions + options,
      output: folder.file("out"))
    var status = stat()
    try waitFor("the link") { lstat(folder.file("tty"), &status) == 0 }
  }

  func open() throws -> LineReader {
    try LineReader(Glibc.open(folder.file("tty"), O_RDWR | O_NOCTTY | O_CLOEXEC))
  }

  /// Stops it and returns the summary's counts by name.
  func stop() -> [String: Int] {
    process.terminate()
    process.waitForExit()
    var counts: [String: Int] = [:]
    for part in folder.text("out").split(separator: "\n").last?.split(separator: ",") ?? [] {
      let words = part.split(separator: " ")
      counts[words.dropLast().joined(separator: " ")] = words.last.flatMap { Int($0) }
    }
    return counts
  }
}

@Suite("drive-feeder")
struct FeederTests {
  @Test("obeys the power line: silent, a cold start, fixes, silent, a warm start, and the world goes on")
  func power() throws {
    let feeder = try Feeder(
      ["--speed", "100", "--wait-power", "--hold-after-end", "--start", "2026-03-02T07:00:00Z"], power: "0")
    let tty = try feeder.open()
    #expect(try tty.next(silence_ms: 200) == nil)

    try feeder.folder.write("1\n", to: "power")
    var searching = 0
    var line = try tty.skip(to: "GPRMC")
    while line.contains(",V,") {
      searching += 1
      line = try tty.skip(to: "GPRMC")
    }
    #expect(searching == 8)
    let clock = line.split(separator: ",")[1]

    // Removed, not rewritten: a missing file is off, too.
    unlink(feeder.folder.file("power"))
    while try tty.next(silence_ms: 500) != nil {}

    try feeder.folder.write("1", to: "power.new")
    rename(feeder.folder.file("power.new"), feeder.folder.file("power"))
    searching = 0
    line = try tty.skip(to: "GPRMC")
    #expect(line.split(separator: ",")[1] > clock, "the clock runs on in the dark")
    while line.contains(",V,") {
      searching += 1
      line = try tty.skip(to: "GPRMC")
    }
    #expect(searching == 2)
    let counts = feeder.stop()
    #expect(try #require(counts["silent"]) >= 20)
    #expect(counts["sent without fix"] == 10)
    #expect(counts["dropped bytes"] == 0)
  }

  @Test("sends exactly what it logs, and exits at the end of the drive with the link gone")
  func sentLog() throws {
    let folder = try TemporaryFolder()
    let track =
      NMEA.sentences(
        for: Drive(plan: .short, seed: 5, start_ms: 1_772_434_800_000).epochs[0])
      + "$GPTXT,01,01,02,hello*5C\r\n"
    try folder.write(track, to: "track.nmea")
    let feeder = try Feeder(
      [
        "--track", folder.file("track.nmea"), "--sent", folder.file("sent"), "--cold-start-s", "0",
        "--wait-power",
      ],
      power: "0", folder: folder)
    let tty = try feeder.open()
    try folder.write("1", to: "power")
    var lines: [String] = []
    for _ in 0..<6 { lines.append(try #require(try tty.next())) }
    #expect(lines.map { $0 + "\r\n" }.joined() == track)
    #expect(feeder.process.waitForExit() == 0)
    let sent = folder.text("sent")
    #expect(number("time_ms", in: sent) == 1_772_434_800_000)
    #expect(try #require(number("lat", in: sent)) > 46.9)
    var status = stat()
    #expect(lstat(folder.file("tty"), &status) != 0)
  }

  @Test("plays as far as it may, and no farther")
  func upTo() throws {
    let folder = try TemporaryFolder()
    let feeder = try Feeder(
      [
        "--speed", "1000", "--cold-start-s", "0", "--sent", folder.file("sent"), "--up-to",
        folder.file("up-to"),
      ], folder: folder)
    let tty = try feeder.open()
    for end in [10, 15] {
      try folder.write("\(end)\n", to: "up-to")
      try waitFor("epoch \(end)") { folder.text("up-to").isEmpty }
      #expect(folder.text("sent").split(separator: "\n").count == end)
    }
    #expect(feeder.stop()["epochs"] == 15)
    _ = tty
  }

  @Test("a reader that sleeps loses what its buffers cannot hold, and does not stop the drive")
  func sleeper() throws {
    let feeder = try Feeder(["--speed", "1000", "--wait-power"], power: "0")
    let tty = try feeder.open()
    try feeder.folder.write("1", to: "power")
    #expect(feeder.process.waitForExit() == 0)
    let counts = feeder.stop()
    #expect(try #require(counts["lost unread"]) > 0)
    #expect(try #require(counts["dropped bytes"]) > 0)
    #expect(try #require(counts["sent with fix"]) > 0)
    _ = tty
  }

  @Test("with the device closed every epoch is lost: a later reader gets no old sentences")
  func closed() throws {
    let feeder = try Feeder(["--speed", "1000", "--wait-power"], power: "0")
    try feeder.folder.write("1", to: "power")
    #expect(feeder.process.waitForExit() == 0)
    let counts = feeder.stop()
    #expect(counts["lost unread"] == counts["epochs"])
    #expect(counts["sent with fix"] == 0 && counts["sent without fix"] == 0)
  }

  @Test("the truth is written when the drive begins, and SIGTERM ends it with the summary")
  func truth() throws {
    let folder = try TemporaryFolder()
    let feeder = try Feeder(
      [
        "--truth", folder.file("truth"), "--drive", folder.file("drive.csv"), "--start",
        "2026-03-02T07:00:00Z",
        "--seed", "9",
      ], folder: folder)
    try waitFor("the truth and the drive") {
      !folder.text("truth").isEmpty && !folder.text("drive.csv").isEmpty
    }
    #expect(folder.text("drive.csv") == Drive(plan: .demo, seed: 9, start_ms: 1_772_434_800_000).csv)
    #expect(folder.text("truth") == Drive(plan: .demo, seed: 9, start_ms: 1_772_434_800_000).truthJSON)
    let counts = feeder.stop()
    #expect(feeder.process.waitForExit() == 0)
    #expect(try #require(counts["epochs"]) < 1_000)
  }

  @Test(
    "wrong options say what is wrong",
    arguments: [
      (["--speed", "0"], "--speed must be above 0 and at most 1000."),
      (["--speed", "nan"], "--speed must be above 0 and at most 1000."),
      (["--cold-start-s=-1"], "must not be negative."),
      (["--wait-power"], "--wait-power needs --power-file."),
      (
        ["--start", "yesterday"], "'yesterday' is not now, recorded, or a time such as 2026-03-02T07:00:00Z."
      ),
      (["--start", "recorded"], "--start recorded needs --track: a generated drive has no recorded time."),
      (["--track", "/nowhere", "--drive", "/nowhere"], "--drive is for a generated drive"),
      (["--track", "/nowhere", "--truth", "/nowhere"], "--truth needs a generated drive"),
      (["--track", "/nowhere"], "/nowhere: open: No such file or directory (errno 2)"),
      (["--power-file", "/nowhere/power"], "the folder of --power-file must exist"),
      (["--sent", "/nowhere/sent"], "open of /nowhere/sent: No such file or directory (errno 2)"),
      (["--link", "/nowhere/tty"], "does the folder exist?"),
      (["--link", "/proc/version"], "it is not a symbolic link and stays as it is: name another --link"),
    ])
  func wrongOptions(options: [String], message: String) throws {
    let folder = try TemporaryFolder()
    let link = options.contains("--link") ? [] : ["--link", folder.file("tty")]
    let process = try ChildProcess(
      [try ChildProcess.driveFeeder()] + link + options, output: folder.file("out"))
    #expect(process.waitForExit() != 0)
    // The parser wraps nothing when its output is no terminal, but it may put a word in front.
    #expect(folder.text("out").contains(message))
  }
}
