import DriveGenerator
import Foundation
import Testing
import TrackerWire

/// `godwit simulate` as a person or a script meets it.
@Suite("godwit simulate")
struct SimulateTests {
  private let rig: Rig
  private let track: String

  init() throws {
    rig = try Rig()
    track = rig.file("drive.csv").path
    let drive = Drive(plan: .demo, seed: 4, start_ms: 1_800_000_000_000)
    let rows = drive.epochs.map { epoch in
      "\(epoch.time_ms),\(epoch.latitude_deg),\(epoch.longitude_deg),\(epoch.speed_mps),"
        + "\(epoch.hasFix ? 3 : 1),\(epoch.hdop)"
    }
    let text = (["time_unix_ms,lat,lon,speed_mps,mode,hdop"] + rows).joined(separator: "\n") + "\n"
    try text.write(toFile: track, atomically: true, encoding: .utf8)
  }

  private func simulate(_ arguments: String...) throws -> CommandTests.Outcome {
    try CommandTests.godwit(["simulate"] + arguments)
  }

  @Test("prints the totals and the trips")
  func summary() throws {
    let outcome = try simulate("--track", track)
    #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("drive.csv, 2027-01-15T08:00:00.000Z to 2027-01-15T08:"))
    #expect(outcome.output.contains("GPS on") && outcome.output.contains("  trip 1  "))
  }

  @Test("--json is one object for one track, an array for several, and nothing else")
  func json() throws {
    let one = try simulate("--track", track, "--json")
    let object = try JSONSerialization.jsonObject(with: Data(one.output.utf8)) as? [String: Any]
    #expect(object?["trips"] is [Any] && object?["track"] is [Any] && object?["gps_on"] is [Any])
    let two = try simulate("--track", track, "--track", track, "--json")
    #expect((try JSONSerialization.jsonObject(with: Data(two.output.utf8)) as? [Any])?.count == 2)
  }

  @Test("--compare puts two settings side by side, with --set in both")
  func compare() throws {
    let other = rig.file("always.toml").path
    try "[motion]\ngps_off_when_parked = false\n".write(toFile: other, atomically: true, encoding: .utf8)
    let outcome = try simulate("--track", track, "--compare", other, "--set", "track.max_error_m=20")
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("defaults: track.max_error_m = 20"))
    #expect(
      outcome.output.contains("always.toml: motion.gps_off_when_parked = false, track.max_error_m = 20"))
    #expect(outcome.output.contains("change"))
  }

  @Test("wire_only without an ignition makes no trip, and the command says what to assume")
  func wireOnly() throws {
    let wires = ["motion.mode=wire_only", "ignition.chip=gpiochip0", "ignition.line=GPIO17"]
      .flatMap { ["--set", $0] }
    func run(_ assume: String...) throws -> CommandTests.Outcome {
      try CommandTests.godwit(["simulate", "--track", track] + wires + assume.flatMap { ["--assume", $0] })
    }
    let hint =
      "godwit: motion.mode \"wire_only\" of defaults: the replay has no ignition, so the GPS stays off and there is no trip; "
    let none = try run()
    #expect(none.code == 0 && !none.output.contains("  trip 1  "))
    #expect(none.errors == hint + "--assume ignition=from_speed guesses one\n", "\(none.errors)")
    let recorded = try run("ignition=recorded")
    #expect(
      recorded.errors
        == hint + "the recording has no column ignition, and --assume ignition=from_speed guesses one\n",
      "\(recorded.errors)")
    let guessed = try run("ignition=from_speed")
    #expect(guessed.errors.isEmpty && guessed.output.contains("  trip 1  "), "\(guessed)")
  }

  @Test("a GPX of 200,000 points needs less than 60 MB")
  func memory() throws {
    let file = rig.file("long.gpx")
    var text = "<gpx><trk><trkseg>\n"
    for second in 0..<200_000 {
      let time = ISO8601.text(ms: 1_772_434_800_000 + Int64(second) * 1000)
      text +=
        "<trkpt lat=\"47.4\" lon=\"\(8.5 + Double(second % 40_000) * 1e-4)\"><ele>410</ele><time>\(time)</time></trkpt>\n"
    }
    try (text + "</trkseg></trk></gpx>\n").write(to: file, atomically: true, encoding: .utf8)
    let measure = """
      import resource, subprocess, sys
      code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
      print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      """
    let run = try CommandTests.run(
      URL(filePath: "/usr/bin/python3"),
      ["-c", measure, Rig.product("godwit").path, "simulate", "--track", file.path])
    let figures = run.output.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
    #expect(figures.count == 2 && figures[0] == 0 && figures[1] < 60_000, "exit code and kB: \(run)")
  }

  @Test("mistakes are reported with their place, and each kind has its exit code")
  func mistakes() throws {
    let nothing = try simulate()
    #expect(nothing.code == 64 && nothing.errors.contains("name a recorded track with --track FILE"))
    let missing = try simulate("--track", "/nowhere.csv")
    #expect(missing.code == 66 && missing.errors.contains("/nowhere.csv"))
    let setting = try simulate("--track", track, "--set", "motion.stop_timeout_s=1")
    #expect(setting.code == 78 && setting.errors.contains("--set: motion.stop_timeout_s: 1 is outside"))
    let assumption = try simulate("--track", track, "--assume", "receiver.cold_s=3")
    #expect(assumption.code == 78)
    #expect(assumption.errors.contains("--assume: receiver.cold_s: unknown setting"))
    let outage = try simulate("--track", track, "--assume", "network.outages=[\"soon\"]")
    #expect(outage.code == 64 && outage.errors.contains("\"2h for 45m\""))
  }

  @Test("a broken line is named, and nothing is printed")
  func brokenTrack() throws {
    let broken = rig.file("broken.csv").path
    try "time_unix_ms,lat,lon\n1800000000000,47,8\n1800000001000,many,8\n"
      .write(toFile: broken, atomically: true, encoding: .utf8)
    let outcome = try simulate("--track", broken)
    #expect(outcome.code == 66 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("broken.csv:3: "), "\(outcome.errors)")
  }

  @Test("--assumptions lists what the model assumes")
  func assumptions() throws {
    let outcome = try simulate("--assumptions")
    #expect(outcome.code == 0)
    #expect(outcome.output.contains("[receiver]") && outcome.output.contains("# cold_start_s = 30"))
  }

  @Test("--report writes one page, for its owner's umask, and says where it cannot")
  func report() throws {
    let page = rig.file("report.html")
    let outcome = try simulate("--track", track, "--report", page.path)
    #expect(outcome.code == 0, "\(outcome.errors)")
    let html = try String(contentsOf: page, encoding: .utf8)
    #expect(html.hasPrefix("<!doctype html>") || html.hasPrefix("<!DOCTYPE html>"))
    #expect(html.contains("drive.csv") && html.contains("<svg"))
    let nowhere = try simulate("--track", track, "--report", "/nowhere/report.html")
    #expect(nowhere.code == 73 && nowhere.errors.contains("/nowhere/report.html"))
    let device = try simulate("--track", track, "--report", "/dev/null")
    #expect(device.code == 73 && device.errors.contains("/dev/null"))
  }

  @Test("a report never replaces what it is made from, and a place for it is looked for first")
  func reportPlace() throws {
    let link = rig.file("link.html").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: track)
    let before = try String(contentsOfFile: track, encoding: .utf8)
    for path in [track, link] {
      let outcome = try simulate("--track", track, "--report", path)
      #expect(outcome.code == 73 && outcome.output.isEmpty)
      #expect(outcome.errors.contains("would replace \(track): name another file"), "\(outcome.errors)")
    }
    #expect(try String(contentsOfFile: track, encoding: .utf8) == before)
    let nowhere = try simulate("--track", track, "--report", "/nowhere/report.html")
    #expect(nowhere.output.isEmpty && nowhere.errors.contains("Name a file in a folder that you may write"))
    #expect(try simulate("--track", track, "--report", "").code == 64)
  }

  @Test("a report leaves what lies beside it as it is, a track too")
  func reportNeighbours() throws {
    let part = rig.file("page.html.part").path
    try FileManager.default.copyItem(atPath: track, toPath: part)
    let outcome = try simulate("--track", part, "--report", rig.file("page.html").path)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(FileManager.default.contentsEqual(atPath: track, andPath: part))
  }

  @Test("tracks of one name are distinguished by their paths")
  func oneName() throws {
    let folder = rig.file("monday")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let other = folder.appendingPathComponent("drive.csv").path
    try FileManager.default.copyItem(atPath: track, toPath: other)
    let outcome = try simulate("--track", track, "--track", other)
    #expect(outcome.output.hasPrefix("\(track), ") && outcome.output.contains("\n\(other), "))
  }

  @Test("a wrong time zone names its place")
  func wrongZone() throws {
    let zone = try simulate("--track", track, "--set", "timezone=Mars/Base")
    #expect(zone.code == 78 && zone.errors.hasPrefix("--set: timezone: "), "\(zone.errors)")
  }
}
