import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO

struct Power: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Switch the GPS module off after an agent that did not.", subcommands: [Off.self])

  struct Off: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Switch the GPS off as gps.power says. systemd runs this whenever the agent has ended.",
      discussion: """
        Does nothing where gps.power.mode is "none". Mistakes of the settings file outside of the group gps do not \
        matter; when it cannot be read at all, what the last agent has written into its folder counts.

        An agent that runs keeps its line. With --force one that does not answer for 15 s is killed first, so that \
        its GPS does not stay on; one that answers is never touched. systemd starts it again.

        Exit codes: 0 off, or nothing to switch, 64 a mistake on the command line, 66 no settings file, 71 it cannot be switched, 75 an agent \
        runs, which has the line, or another program holds it, 78 a mistake in the group gps of the settings file.
        """)

    @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard
    @Option(help: "Folder of the running agent, as run.directory was.", completion: .directory)
    var directory = Settings().run.directory

    @Flag(help: "Kill an agent that hangs, and switch the GPS off then.") var force = false

    func run() throws {
      Terminal.neverWait()
      let settings = try settings()
      let power = settings.gps.power
      guard power.mode != .none else {
        return Terminal.print(
          "the module is always powered (gps.power.mode is \"none\"): nothing to switch\n")
      }
      // Held to the end: no agent begins meanwhile.
      let lock = try lock(settings)
      try withExtendedLifetime(lock) { try Self.switchOff(power) }
      let means = power.mode == .command ? power.command[0] : "line \(power.line) of \(power.chip)"
      Terminal.print("GPS power is off: \(means)\n")
    }

    private func settings() throws -> Settings {
      let note = PowerNote.path(in: directory)
      let noted = try? SettingsFile.readForPower(note)
      let kept = LastGoodSettings.read(for: config)
      do {
        let settings = try SettingsFile.readForPower(config, kept: kept)
        // A file without a line, of whatever reason, does not switch off what the last agent has switched on.
        guard settings.gps.power.mode == .none, let noted, noted.gps.power.mode != .none else {
          return settings
        }
        Terminal.error("godwit: what the last agent used counts, \(note)\n")
        return noted
      } catch {
        Terminal.error("\(error)\n")
        if let noted {
          Terminal.error("godwit: what the last agent used counts, \(note)\n")
          return noted
        }
        if let kept, let file = try? SettingsFile.read(kept, as: config, checkSchedule: { _ in nil }) {
          Terminal.error(
            "godwit: the settings of the last run count, \(LastGoodSettings.file(for: config))\n")
          return file.settings
        }
        Terminal.error("godwit: GPS power stays as it is\n")
        throw ExitCode(error.exitCode)
      }
    }

    /// The agent's own lock, or nil where it cannot be had without saying that an agent runs: before the first
    /// start, or on a file system that was made read-only.
    private func lock(_ settings: Settings) throws -> ProcessLock? {
      var lock: ProcessLock?
      let path = settings.queue.path + ".lock"
      if access(path, F_OK) == 0 {
        do { lock = try ProcessLock(path: path) } catch HostError.locked(_, let pid) {
          let words = "an agent runs\(pid.map { " as process \($0)" } ?? "")"
          guard force, let pid, !Self.answers(settings) else { throw Self.refusal(words) }
          return try Self.kill(pid, lock: path)
        } catch {}
      }
      // An agent whose storage has failed has let the lock go.
      do throws(ControlError) {
        _ = try ControlClient.ask(directory: settings.run.directory, line: "status", timeout_s: 2)
      } catch {
        guard error == .busy || error == .noAnswer && !force else { return lock }
      }
      throw Self.refusal("an agent answers in \(settings.run.directory)")
    }

    /// As long as systemd's watchdog waits: a loop that is merely busy comes round before.
    private static let patience_s = 15

    /// Asks for as long as a hung one is waited for: one that has no socket at this moment starts, or puts back a run
    /// directory that was removed.
    private static func answers(_ settings: Settings) -> Bool {
      let end_ms = HostClock.now().boot_ms + Int64(patience_s) * 1000
      while true {
        let left_ms = end_ms - HostClock.now().boot_ms
        guard left_ms > 0 else { return false }
        do throws(ControlError) {
          _ = try ControlClient.ask(
            directory: settings.run.directory, line: "status", timeout_s: Int(left_ms / 1000) + 1)
          return true
        } catch {
          // Its loop turns: it says so itself.
          if error == .busy { return true }
        }
        usleep(200_000)
      }
    }

    /// - Returns: the dead agent's lock; nil where the kernel keeps the process from ending.
    private static func kill(_ process: Int32, lock path: String) throws -> ProcessLock? {
      Terminal.error("godwit: the agent, process \(process), has not answered for \(patience_s) s: killed\n")
      guard Glibc.kill(process, SIGKILL) == 0 || errno == ESRCH else {
        throw ExitReason.system.exit(
          "the agent, process \(process), hangs and cannot be killed: \(String(cString: strerror(errno)))")
      }
      for _ in 0..<30 {
        do throws(HostError) { return try ProcessLock(path: path) } catch {
          // Started since.
          if case .locked(_, let other?) = error, other != process {
            throw refusal("an agent runs as process \(other)")
          }
        }
        usleep(100_000)
      }
      return nil
    }

    private static func refusal(_ words: String) -> ExitCode {
      ExitReason.secondInstance.exit(
        "\(words), and the GPS power line is its own: stop it first (systemctl stop godwit), or, if it hangs, add --force"
      )
    }

    private static func switchOff(_ settings: GPSPowerSettings) throws {
      var problem: String?
      do throws(PowerError) {
        problem = try PowerSwitch(settings).switchNow(false)
      } catch {
        switch error {
        case .line(.busy), .statusLine(.busy): throw ExitReason.secondInstance.exit("\(error)")
        case .line, .statusLine, .readsBack, .noAnswer, .strayed, .host, .command: problem = "\(error)"
        }
      }
      if let problem { throw ExitReason.system.exit("GPS power may still be on: \(problem)") }
    }
  }
}
