import ArgumentParser
import Glibc
import TrackerCore
import TrackerIO

struct Power: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Switch the GPS module off after an agent that did not.", subcommands: [Off.self])

  struct Off: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the line of gps.power to off. systemd runs this whenever the agent has ended.",
      discussion: """
        Does nothing where no line is set. Mistakes of the settings file outside of the group gps do not matter.

        Exit codes: 0 off, or no line is set, 66 no settings file, 71 the line cannot be switched, 75 an agent \
        runs, which has the line, or another program holds it, 78 a mistake in the group gps of the settings file.
        """)

    @Option(help: "Settings file.") var config = SettingsLocation.standard

    func run() throws {
      let settings = try Self.settings(config)
      let power = settings.gps.power
      guard power.mode != .none else {
        return Terminal.print("no power line is set (gps.power.mode is \"none\"): nothing to switch\n")
      }
      // Held to the end: no agent begins meanwhile.
      let lock = try Self.lock(settings)
      try withExtendedLifetime(lock) { try Self.switchOff(power) }
      Terminal.print("GPS power is off: line \(power.line) of \(power.chip)\n")
    }

    private static func settings(_ path: String) throws -> Settings {
      do { return try SettingsFile.readForPower(path) } catch {
        Terminal.error("\(error)\ngodwit: GPS power stays as it is\n")
        throw ExitCode(error.exitCode)
      }
    }

    /// The agent's own lock, or nil where it cannot be had without saying that an agent runs: before the first
    /// start, or on a file system that was made read-only.
    private static func lock(_ settings: Settings) throws -> ProcessLock? {
      var lock: ProcessLock?
      let path = settings.queue.path + ".lock"
      if access(path, F_OK) == 0 {
        do { lock = try ProcessLock(path: path) } catch HostError.locked(_, let pid) {
          throw refusal("an agent runs\(pid.map { " as process \($0)" } ?? "")")
        } catch {}
      }
      // An agent whose storage has failed has let the lock go.
      do throws(ControlError) {
        _ = try ControlClient.ask(directory: settings.run.directory, line: "status", timeout_s: 2)
      } catch {
        switch error {
        case .noAnswer: break
        case .failed, .inUse, .pathTooLong, .notRunning, .notAllowed, .lineTooLong: return lock
        }
      }
      throw refusal("an agent answers in \(settings.run.directory)")
    }

    private static func refusal(_ words: String) -> ExitCode {
      ExitReason.secondInstance.exit(
        "\(words), and the GPS power line is its own: stop it first (systemctl stop godwit)")
    }

    private static func switchOff(_ settings: GPSPowerSettings) throws {
      do throws(GPIOError) {
        guard let line = try PowerLines.open(settings: settings) else { return }
        try line.set(false)
        guard try line.read() else { return }
      } catch {
        if case .busy = error { throw ExitReason.secondInstance.exit("\(error)") }
        throw ExitReason.system.exit("GPS power may still be on: \(error)")
      }
      throw ExitReason.system.exit(
        "GPS power line: switched off, but it reads back on; is it shorted or shared?")
    }
  }
}
