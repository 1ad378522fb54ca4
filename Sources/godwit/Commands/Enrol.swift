import ArgumentParser
import Glibc
import TrackerBase
import TrackerDispatch
import TrackerIO
import TrackerWire

struct Enrol: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Get this box its name and its token: for a code, or from the boot partition.",
    discussion: """
      --code asks the server, which answers with token and name; the token goes to sync.token_file, for the agent's user \
      alone. A lost answer or a power cut costs nothing: the same command asks again, and gets the same answer. A code is \
      good for one box.

      --boot takes godwit-provision.toml from the boot partition (docs/provisioning.md), once, and wipes it when all that \
      it gives is on storage. One with a mistake is not taken at all, and stays; godwit-provision.error.txt beside it says \
      what is wrong. godwit-first-boot.service runs this at each boot, and godwit-enrol.service --pending --wait, which \
      asks for a token with the code that the file gave: again after a minute at most, then in pauses of up to an hour.

      Exit codes: 0 done, or nothing to do, 64 a mistake on the command line, 66 no settings file, 69 godwit-setup has \
      failed, 73 a file cannot be written, 75 no answer yet, ask again, 77 refused by the server, 78 a mistake in the \
      settings or in the boot partition's file.
      """)

  @Option(help: "The enrolment code, as an operator of the server gave it.") var code: String?
  @Option(help: "The server, such as https://fleet.example.com; without it that of sync.url.") var url:
    String?
  @Flag(help: "Take what the boot partition gives this box.") var boot = false
  @Flag(help: "Ask with the code that was given before, if there is one.") var pending = false
  @Flag(help: "With --pending: ask until the server answers, in pauses of up to an hour.") var wait = false
  @Flag(help: "With --boot: start the machine anew when its firmware has to read something else.")
  var reboot = false
  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard
  @Option(
    help: ArgumentHelp("With --boot: the file, if it lies elsewhere.", valueName: "file"),
    completion: .settings)
  var file: String?
  @Option(help: ArgumentHelp("With --boot: the program for hat and apn.", visibility: .hidden))
  var setup = "/usr/sbin/godwit-setup"

  func validate() throws {
    guard [code != nil, boot, pending].filter({ $0 }).count == 1 else {
      throw ValidationError("Give one of --code, --boot and --pending.")
    }
    if wait, !pending { throw ValidationError("--wait goes with --pending.") }
    if url != nil, code == nil { throw ValidationError("--url goes with --code.") }
    if reboot || file != nil, !boot { throw ValidationError("--reboot and --file go with --boot.") }
  }

  func run() throws {
    if boot { return try takeFile() }
    var failures = 0
    while let words = try ask() {
      guard wait else { throw ExitReason.secondInstance.exit("\(words); ask again") }
      failures += 1
      let pause_s = Backoff.enrolment.wait_ms(failures: failures, chance: .random(in: 0.5...1)) / 1000
      Terminal.error("godwit: \(words); asked again in \(pause_s) s\n")
      sleep(UInt32(pause_s))
    }
  }

  /// Once, as settings and code are now. - Returns: why there is no answer yet; nil when all is done.
  private func ask() throws -> String? {
    let settings = try SettingsLocation.readOrLastGood(config).settings
    guard !settings.sync.tokenFile.isEmpty else {
      throw ExitReason.settings.exit(
        "sync.token_file is not set, so nobody says where the token goes: \"/etc/godwit/token\", for instance"
      )
    }
    guard !CredentialsFolder.holds(settings.sync.tokenFile) else {
      throw ExitReason.settings.exit(
        "sync.token_file is a credential of systemd, which only that writes: for a code set it to a file such as /etc/godwit/token"
      )
    }
    guard let request = try request(settings) else {
      Terminal.print("nothing to ask\n")
      return nil
    }
    switch Enrolment(settings: settings).ask(request) {
    case .enrolled(let device):
      Terminal.print("enrolled as \(device); the token is in \(settings.sync.tokenFile)\n")
      reloadAgent(settings)
      return nil
    case .refused(let words):
      let isThere = access(settings.sync.tokenFile, F_OK) == 0
      throw ExitReason.permission.exit(
        isThere ? "\(words) (a token is in \(settings.sync.tokenFile): is this box enrolled already?)" : words
      )
    case .unfit(let words): throw ExitReason.settings.exit(words)
    case .later(let words): return words
    }
  }

  private func request(_ settings: Settings) throws -> EnrolmentRequest? {
    let target = try code.map { code in (code: code, url: try wantedURL(settings)) }
    if let target {
      if let words = Enrolment(settings: settings).refusal(of: target.url) {
        throw ExitReason.settings.exit("\(url == nil ? "sync.url" : "--url"): \(words)")
      }
      let folder = StateFolder.path
      guard access(folder, F_OK) == 0 else {
        throw ExitReason.cannotCreate.exit(
          "there is no \(folder), which the package makes: sudo install -d -m 0750 -o godwit -g godwit \(folder)"
        )
      }
    }
    do throws(HostError) {
      guard let target else { return try Enrolment.pending() }
      return try Enrolment.prepare(
        url: target.url, code: target.code, device: FirstBoot.name(of: settings))
    } catch { throw ExitReason.cannotCreate.exit("\(error); use sudo") }
  }

  private func wantedURL(_ settings: Settings) throws -> String {
    if let url {
      do throws(Enrolment.BadURL) { return try Enrolment.url(typed: url) } catch {
        throw ValidationError("--url \(error.reason)")
      }
    }
    guard let own = Enrolment.url(of: settings) else {
      throw ExitReason.settings.exit("sync.url names no server that gives tokens: name one with --url")
    }
    return own
  }

  /// Its name may be another now.
  private func reloadAgent(_ settings: Settings) {
    let answer = try? ControlClient.ask(directory: settings.run.directory, line: "reload", timeout_s: 10)
    guard let answer else { return Terminal.print("no agent runs: its next start has both\n") }
    let isTaken = JSONReader.parse(Array(answer.utf8))?["ok"]?.bool == true
    Terminal.print(isTaken ? "the running agent has both\n" : "sudo systemctl restart godwit\n")
  }

  // MARK: The boot partition's file

  private func takeFile() throws {
    let files = file.map { [$0] } ?? FirstBoot.standard
    for file in files {
      let outcome: FirstBoot.Outcome
      do throws(FirstBoot.Failure) {
        outcome = try FirstBoot(file: file, config: config, setup: setup).take()
      } catch { throw error.exit.exit(error.words) }
      switch outcome {
      case .nothing: continue
      case .wiped: return Terminal.print("\(file) had been taken; it is wiped\n")
      case .taken(let isBootChanged):
        Terminal.print("\(file): taken, and wiped\n")
        if isBootChanged { try startAnew() }
        return
      }
    }
    Terminal.print("there is no \(files.joined(separator: " and no "))\n")
  }

  private func startAnew() throws {
    guard reboot else {
      return Terminal.print("the firmware reads something else from the next boot on: sudo reboot\n")
    }
    Terminal.print("the firmware is to read something else: the machine starts anew\n")
    if let problem = Subprocess.problem(running: ["/usr/bin/systemctl", "--no-block", "reboot"]) {
      throw ExitReason.system.exit(problem)
    }
  }
}
