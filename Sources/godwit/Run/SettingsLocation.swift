import ArgumentParser
import TrackerCore
import TrackerIO

/// Where the settings are, and how a command that needs them reads them.
enum SettingsLocation {
  static let standard = "/etc/godwit/godwit.toml"

  /// Settings, and where they come from.
  struct Loaded {
    var settings: Settings
    /// To be kept once the agent runs with them; nil if they are what was kept.
    var toKeep: LastGoodSettings?
    /// Why they are not those of the file.
    var problem: String?
  }

  /// Says all that is wrong on standard error, and gives the exit code to throw.
  ///
  /// - Parameter withSecrets: judges the files of tokens, passwords and keys too. Who only asks the agent needs none.
  static func read(_ path: String, withSecrets: Bool = false) throws -> Loaded {
    do throws(SettingsFileError) { return try checked(path, withSecrets) } catch { throw exit(error) }
  }

  /// The same for a file that may be broken by now: the settings that an agent last ran with are better than none.
  static func readOrLastGood(_ path: String, withSecrets: Bool = false) throws -> Loaded {
    let kept = LastGoodSettings.read(for: path)
    do throws(SettingsFileError) { return try checked(path, withSecrets) } catch {
      guard let kept, !error.isAboutOtherFiles,
        let file = try? SettingsFile.read(kept)
      else { throw exit(error) }
      let words =
        "\(path) is refused: the settings of the last run go on, kept as \(LastGoodSettings.file(for: path))"
      Terminal.error("\(error.description)\ngodwit: \(words)\n")
      return Loaded(settings: file.settings, problem: words)
    }
  }

  /// Says nothing. - Returns: what the file is made of, if it is fine.
  static func sourcesIfFine(_ path: String) -> LastGoodSettings? { (try? checked(path, true))?.toKeep }

  private static func checked(_ path: String, _ withSecrets: Bool) throws(SettingsFileError) -> Loaded {
    let file = try SettingsFile.read(path, kept: LastGoodSettings.read(for: path))
    let problems = withSecrets ? file.checkFiles() : []
    guard problems.isEmpty else { throw .unfitFiles(problems) }
    return Loaded(settings: file.settings, toKeep: LastGoodSettings(files: file.sources))
  }

  private static func exit(_ error: SettingsFileError) -> ExitCode {
    Terminal.error(error.description + "\n")
    return ExitCode(error.exitCode)
  }
}
