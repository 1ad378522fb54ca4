import ArgumentParser
import TrackerBase
import TrackerIO

extension CompletionKind {
  /// A settings file, wherever it lies.
  static let settings = CompletionKind.file(extensions: ["toml"])
}

/// The value of --for, in seconds.
func lengthOption_s(_ text: String) throws -> Int64 {
  if let length_s = lengthInSeconds(text) { return length_s }
  throw ExitReason.usage.exit("--for \"\(text)\" is not a length such as 2h, 45m or 1h30m, of at most 8784h")
}

/// Where the settings are, and how a command that needs them reads them.
enum SettingsLocation {
  static let standard = "/etc/godwit/godwit.toml"

  /// Settings, and where they come from.
  struct Loaded {
    let file: SettingsFile
    var settings: Settings { file.settings }
    /// To be kept once the agent runs with them; nil if they are what was kept.
    var toKeep: LastGoodSettings?
    /// Why they are not those of the file.
    var problem: String?
    /// What is wrong with the files of tokens, passwords and keys: while it is, nothing is sent with them.
    var unfitSecrets: [SettingsProblem] = []
  }

  /// Who only asks the agent needs no files of tokens, passwords and keys.
  enum Secrets {
    case ignored, noted
  }

  /// Says all that is wrong on standard error, and gives the exit code to throw.
  static func read(_ path: String, secrets: Secrets = .ignored) throws -> Loaded {
    do throws(SettingsFileError) { return try checked(path, secrets) } catch { throw exit(error) }
  }

  /// The same for a file that may be broken by now: the settings that an agent last ran with are better than none.
  static func readOrLastGood(_ path: String, secrets: Secrets = .ignored) throws -> Loaded {
    let kept = LastGoodSettings.read(for: path)
    do throws(SettingsFileError) { return try checked(path, secrets) } catch {
      guard let kept, let file = try? SettingsFile.read(kept, as: path) else { throw exit(error) }
      let words =
        "\(path) is refused: the settings of the last run go on, kept as \(LastGoodSettings.file(for: path))"
      Terminal.error("\(error.description)\ngodwit: \(words)\n")
      let unfit = secrets == .ignored ? [] : file.checkFiles()
      return Loaded(file: file, problem: words, unfitSecrets: unfit)
    }
  }

  /// Says nothing, but what it throws.
  static func readQuietly(_ path: String) throws(SettingsFileError) -> Loaded { try checked(path, .noted) }

  /// Says nothing. - Returns: what an agent runs with, whatever has become of the file since.
  static func running(_ path: String) -> Settings? {
    if let loaded = try? checked(path, .ignored) { return loaded.settings }
    return LastGoodSettings.read(for: path).flatMap { try? SettingsFile.read($0, as: path) }?.settings
  }

  /// Says nothing. - Returns: what the file is made of, if it is fine.
  static func sourcesIfFine(_ path: String) -> LastGoodSettings? { (try? checked(path, .ignored))?.toKeep }

  static func zone(_ settings: Settings) throws -> SystemZone {
    try ExitReason.settings.attempt { try SystemZone(settings.timezone) }
  }

  private static func checked(_ path: String, _ secrets: Secrets) throws(SettingsFileError) -> Loaded {
    let file = try SettingsFile.read(path, kept: LastGoodSettings.read(for: path))
    let problems = secrets == .ignored ? [] : file.checkFiles()
    return Loaded(file: file, toKeep: LastGoodSettings(files: file.sources), unfitSecrets: problems)
  }

  private static func exit(_ error: SettingsFileError) -> ExitCode {
    Terminal.error(error.description + "\n")
    return ExitCode(error.exitCode)
  }
}

extension ExitReason {
  /// Says why on standard error and gives the code to throw.
  func exit(_ message: String) -> ExitCode {
    say(message)
    return ExitCode(rawValue)
  }

  /// Where that fails the process ends for this reason.
  func attempt<Value>(_ work: () throws -> Value) throws -> Value {
    do { return try work() } catch { throw exit("\(error)") }
  }
}
