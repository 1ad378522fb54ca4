import ArgumentParser
import Glibc
import TrackerCore
import TrackerIO

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say whether a settings file is fine.",
    discussion: """
      Exits with 0 when it is, with 78 when it has problems, with 66 when it cannot be read. What is allowed and can \
      hardly be meant, such as a schedule rule whose date is past or a token file without a token, is a warning and no \
      problem.
      """)

  @Argument(help: "The settings file.")
  var file = SettingsLocation.standard

  func run() throws {
    let settings = try SettingsLocation.read(file, withSecrets: true).settings
    let zone = Result { try SystemZone(settings.timezone) }
    if case .failure(let error) = zone { Terminal.error("\(file): \(error)\n") }
    let fences = try GeofencesFile.readOrExit(settings.geofencesFile)
    guard case .success(let zone) = zone else { throw ExitCode(ExitReason.settings.rawValue) }
    print("\(file): fine")
    for note in settings.notes { print("    note: \(note)") }
    print(Self.summary(of: settings, fences: fences.count), terminator: "")
    let battery = Self.battery(settings.battery)
    if let line = battery.line { print("    battery   \(line)") }
    for words in Self.secretFlaws(of: settings) { print("  warning: \(words)") }
    if let words = battery.flaw { print("  warning: \(words)") }
    for words in Plan.idleRules(of: settings, in: zone) { print("  warning: \(words)") }
  }

  /// The preset, what it sets, and what the file sets instead.
  private static func preset(of settings: Settings) -> String {
    let preset = settings.track.preset
    let inForce = Dictionary(uniqueKeysWithValues: settings.inForce.map { ($0.line.key, $0.line) })
    let (own, instead) = preset.lines.reduce(into: ([String](), [String]())) { words, line in
      let actual = inForce[line.key] ?? line
      if actual == line { words.0.append(line.text) } else { words.1.append(actual.text) }
    }
    let sets = own.isEmpty ? "" : ": " + own.joined(separator: ", ")
    let except = instead.isEmpty ? "" : "; this file sets itself \(instead.joined(separator: ", "))"
    return "\(preset.rawValue)\(sets)\(except)"
  }

  /// With these the agent runs, but sends nothing.
  private static func secretFlaws(of settings: Settings) -> [String] {
    settings.servers.flatMap { name, sync in
      sync.secretFiles.compactMap { path, file -> String? in
        // A file that is missing was told before, unless a command is to write it.
        guard access(file, F_OK) == 0 else { return nil }
        do throws(SecretFile.Failure) {
          _ = try SecretFile.read(file, mayHaveBlanks: file != sync.tokenFile)
          return nil
        } catch { return "\(OtherServer.label(name))\(SettingText.dotted(path)): \(error)" }
      }
    }
  }

  /// Read once. The file itself may be missing where the settings are written.
  private static func battery(_ settings: BatterySettings) -> (line: String?, flaw: String?) {
    guard settings.exists else { return (nil, nil) }
    do throws(VoltageError) {
      let number = try VoltageFile(settings).number()
      return (settings.volts(of: number), settings.doubt(of: number))
    } catch .missing {
      return ("not read: there is no such file here", nil)
    } catch { return (nil, "battery.voltage_file: \(error)") }
  }

  private static func summary(of settings: Settings, fences: Int) -> String {
    let device = settings.deviceID.isEmpty ? "named by the machine id" : SettingText.quoted(settings.deviceID)
    let rules = settings.schedule.isEmpty ? "always" : settings.schedule.joined(separator: "; ")
    let server = (try? ServerURL(settings.sync.url))?.host ?? "none: everything stays in the queue"
    let also = settings.others.map {
      "\n    also      \($0.name): \((try? ServerURL($0.sync.url))?.host ?? "")"
    }.joined()
    return """
        device    \(device)
        schedule  \(rules)
        server    \(server)\(also)
        geofences \(fences)
        track     \(preset(of: settings))

      """
  }
}

extension SettingsFileError {
  var exitCode: Int32 {
    switch self {
    case .cannotRead, .tooLarge, .notAFile: EX_NOINPUT
    case .invalid, .damaged, .unfitFiles: EX_CONFIG
    }
  }
}
