import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Print what settings there are, or those in force.",
    discussion: """
      Exit codes: 0 printed, 64 a mistake on the command line, 66 no settings file, 78 a mistake in it.
      """)

  @Flag(
    help: """
      The commented reference (config/godwit.toml), or every value that a settings file would lead to, with where it comes \
      from: default, preset or file. --effective: the same with what \
      the server has set over it, and the version of that.
      """)
  var form = Form.reference

  @Argument(help: "The settings file, for --in-force and --effective.", completion: .settings)
  var file = SettingsLocation.standard

  enum Form: EnumerableFlag {
    case reference, inForce, effective
  }

  func run() throws {
    switch form {
    case .reference: Terminal.print(ReferenceWriter.text())
    case .inForce:
      for (line, origin) in try SettingsLocation.read(file).settings.inForce {
        print("\(line.text)  # \(origin.rawValue)")
      }
    case .effective: try printEffective()
    }
  }

  private func printEffective() throws {
    let loaded = try SettingsLocation.readOrLastGood(file)
    let found: OverlayState
    do throws(StateFile.Problem) {
      found = try OverlayFile(queuePath: loaded.settings.queue.path).read()
    } catch {
      Terminal.error("godwit: the server's settings cannot be read: \(error)\n")
      throw ExitCode(EX_NOINPUT)
    }
    let overlaid = Overlaid(loaded.file, under: found.wanted)
    let origin = found.wanted.map { "overlay \($0.version)" + (found.trial == nil ? "" : ", on trial") } ?? ""
    let own =
      overlaid.use.version == nil ? [] : found.wanted?.settings.map { SettingText.dotted($0.path) } ?? []
    for (line, file) in overlaid.settings.inForce {
      print("\(line.text)  # \(own.contains(line.key) ? origin : file.rawValue)")
    }
    if let geofences = overlaid.geofences { print("# geofences: \(geofences.count), of \(origin)") }
    if let problem = overlaid.use.problem { Terminal.error("godwit: \(origin) does not count: \(problem)\n") }
  }
}
