import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerLab

/// What is done with recorded drives away from the vehicle.
@main
struct Lab: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "godwit-lab", abstract: "Godwit's laboratory: settings tried on recorded drives.",
    version: Version.text, subcommands: [Simulate.self])

  static func main() {
    ProcessLimits.fillStandardDescriptors()
    ProcessLimits.ignoreFileSizeSignal()
    ProcessLimits.watchStandardOutput()
    main(nil)
  }
}

extension ExitReason {
  /// Says why on standard error and gives the code to throw.
  func exit(_ message: String) -> ExitCode {
    say(message)
    return ExitCode(rawValue)
  }
}

extension CompletionKind {
  /// A settings file, wherever it lies.
  static let settings = CompletionKind.file(extensions: ["toml"])
}

struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what settings would have done on a recorded drive.",
    discussion: """
      Runs the very agent that drives the device, in virtual time, over recorded tracks: CSV, GPX, what godwit record \
      or gpspipe -w writes, raw NMEA or UBX; each may be packed by gzip. docs/simulate.md explains inputs, models and \
      results.

      godwit simulate --track tuesday.csv --set motion.stationary_radius_m=150 --report tuesday.html

      Exit codes: 0 done, 64 a mistake on the command line, 66 a file that cannot be read, 73 a report \
      that cannot be written, 78 a mistake in the settings.
      """)

  @Option(name: .customLong("track"), help: "A recorded track. May be repeated.", completion: .file())
  var tracks: [String] = []

  @Flag(help: "Pass over malformed rows of CSV and GPX files, and count them; else one ends the command.")
  var skipBad = false

  @Option(help: "Settings file. Default: the defaults.", completion: .settings)
  var config: String?

  @Option(
    name: .customLong("set"), help: "Set one value anew, such as motion.stop_timeout_s=600. May be repeated.")
  var overrides: [String] = []

  @Option(help: "Another settings file, shown beside the first. May be repeated.", completion: .settings)
  var compare: [String] = []

  @Option(
    help: "Try several values of one setting, such as motion.probe_interval_s=30,60,90,180.")
  var sweep: String?

  @Option(help: "An assumption of the model, such as receiver.cold_start_s=45. May be repeated.")
  var assume: [String] = []

  @Flag(help: "Print all assumptions with their defaults.")
  var assumptions = false

  @Option(
    help: "Write a report to this file: one HTML page that needs nothing else.",
    completion: .file(extensions: ["html"]))
  var report: String?

  @Flag(help: "Print the result as JSON.")
  var json = false

  func validate() throws {
    if report == "" { throw ValidationError("--report needs the name of a file") }
    if sweep != nil, !compare.isEmpty { throw ValidationError("--sweep and --compare do not go together") }
    if tracks.isEmpty, !assumptions {
      throw ValidationError("name a recorded track with --track FILE")
    }
  }

  func run() throws {
    if assumptions {
      return Terminal.print(
        ReferenceWriter.text(
          of: Assumptions(), heading: "What a replay assumes. To change one: --assume group.key=value"))
    }
    let plan = try SimulationPlan(self)
    // A mistake in the last file must not come after hours of the first.
    try checkReport()
    let recordings = try SimulationPlan.tracks(tracks, skipsBad: skipBad)
    var results: [ReplayResult] = []
    for recording in recordings {
      let ofTrack = try plan.replay(recording)
      if !json { Terminal.print(text(ofTrack)) }
      results += ofTrack
    }
    if json { Terminal.print(ReplayJSON.text(results) + "\n") }
    if let report { try write(results, to: report) }
  }

  private func write(_ results: [ReplayResult], to path: String) throws {
    let html = ReplayReport.html(results, isSweep: sweep != nil)
    do { try ReportFile.write(path, html) } catch { throw refusal(error) }
  }

  private func checkReport() throws {
    guard let report else { return }
    for input in tracks + [config].compactMap(\.self) + compare where ReportFile.isSame(report, input) {
      throw ExitReason.cannotCreate.exit("--report \(report) would replace \(input): name another file")
    }
    do { try ReportFile.check(report) } catch { throw refusal(error) }
  }

  private func refusal(_ error: HostError) -> ExitCode {
    ExitReason.cannotCreate.exit("\(error). Name a file in a folder that you may write to.")
  }

  private func text(_ results: [ReplayResult]) -> String {
    if sweep != nil { return SweepTable(results: results).text }
    return results.count == 1 ? ReplayText.summary(results[0]) : ReplayText.comparison(results)
  }
}
