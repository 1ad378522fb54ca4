import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

/// Takes what the boot partition's file gives, once: token or code, name, settings; then has godwit-setup do hat and APN;
/// then wipes the file.
///
/// A power cut at any line leaves the file or all of what it gave: each step may be done again, and the file goes last.
struct FirstBoot {
  /// Where Raspberry Pi OS has the partition that other computers see: since bookworm, and before.
  static let standard = ["/boot/firmware", "/boot"].map { $0 + "/godwit-provision.toml" }

  enum Outcome: Equatable {
    case nothing
    /// - Parameter isBootChanged: the firmware reads something else from the next boot on.
    case taken(isBootChanged: Bool)
    /// It had been used, and is gone now.
    case wiped
  }

  /// What stopped it. The file stays.
  struct Failure: Error {
    var exit: ExitReason
    var words: String
  }

  let file: String
  let config: String
  let setup: String

  /// For whoever has only the card: why the file was not taken.
  var errorFile: String { FolderEntry.folder(of: file) + "/godwit-provision.error.txt" }
  /// The file that was taken, while it is still there: an owner's later changes are not undone by it.
  static var takenPath: String { StateFolder.path + "/provisioned" }

  func take() throws(Failure) -> Outcome {
    let bytes: [UInt8]
    do throws(OutsideFileError) {
      bytes = try OutsideFile.read(file, limit_bytes: ProvisionFile.largest_bytes)
    } catch {
      if error.isMissing { return .nothing }
      throw refuse(.noInput, "\(error)")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let sum = TextSum.appended(to: text).suffix(21)
    if WipedFile.isUsed(bytes) || (try? DurableFile.read(FirstBoot.takenPath)) == String(sum) {
      try wipe()
      return .wiped
    }
    let provision = try attempt(.settings) { try ProvisionFile.parse(bytes, name: file) }
    let isBootChanged = try apply(provision)
    try attempt(.cannotCreate) {
      try OwnedFile.write(
        FirstBoot.takenPath, String(sum), mode: 0o600, owner: OwnedFile.owner(of: StateFolder.path))
    }
    try wipe()
    return .taken(isBootChanged: isBootChanged)
  }

  // MARK: Steps

  private func apply(_ provision: ProvisionFile) throws(Failure) -> Bool {
    let (settings, url) = try target(of: provision)
    try attempt(.cannotCreate) {
      try? QueueStore.makeFolder(of: FirstBoot.takenPath)
      if !provision.token.isEmpty { try Enrolment.keep(token: provision.token, in: settings.sync.tokenFile) }
      if settings.deviceID.isEmpty, !provision.deviceID.isEmpty {
        try DeviceNameFile(queuePath: settings.queue.path).keep(enrolled: provision.deviceID)
      }
      if !provision.code.isEmpty {
        _ = try Enrolment.prepare(url: url, code: provision.code, device: FirstBoot.name(of: settings))
      }
      // Once it is there the agent may start: all that it names is there before.
      if !provision.settingsText.isEmpty {
        try OwnedFile.write(config, provision.settingsText, mode: 0o644, owner: nil)
      }
    }
    return try setUp(provision)
  }

  /// The settings of the file, or those that are there, and where a code is good. All that can be wrong with them is found
  /// before anything is written.
  private func target(of provision: ProvisionFile) throws(Failure) -> (settings: Settings, url: String) {
    let settings =
      if let given = provision.settings { given } else {
        try attempt(.settings) { try SettingsFile.read(config).settings }
      }
    if !provision.token.isEmpty || !provision.code.isEmpty {
      guard !settings.sync.tokenFile.isEmpty else {
        throw refuse(
          .settings,
          "\(config): sync.token_file is not set: \(file) gives a token, and nobody says where it goes")
      }
    }
    if !provision.deviceID.isEmpty, !settings.deviceID.isEmpty, provision.deviceID != settings.deviceID {
      throw refuse(.settings, "\(file): device_id: is another one than that of \(config)")
    }
    let url = provision.enrolmentURL.isEmpty ? Enrolment.url(of: settings) : provision.enrolmentURL
    guard provision.code.isEmpty || url != nil else {
      throw refuse(
        .settings,
        "\(file): enrolment_code: nobody says where: set enrolment_url, or sync.url in the settings")
    }
    return (settings, url ?? "")
  }

  /// As the agent will be named, if the server does not say otherwise.
  static func name(of settings: Settings) -> String {
    AgentUser.asOwner(of: FolderEntry.folder(of: settings.queue.path)) {
      DeviceNameFile(queuePath: settings.queue.path).identity(of: settings).identity.name
    }
  }

  private func setUp(_ provision: ProvisionFile) throws(Failure) -> Bool {
    let options = [("--hat", provision.hat), ("--apn", provision.apn)].filter { !$0.1.isEmpty }
    guard !options.isEmpty else { return false }
    let before = firmwareFiles()
    let command = [setup] + options.flatMap { [$0.0, $0.1] }
    if let problem = Subprocess.problem(running: command) {
      throw refuse(
        .unavailable, "\(file): hat and apn are not set up: \(problem)",
        advice: "all else of it is in place; it stays, and the next boot takes it once more")
    }
    sync()
    return firmwareFiles() != before
  }

  private func firmwareFiles() -> [[UInt8]?] {
    ["config.txt", "cmdline.txt"].map { name in
      try? OutsideFile.read(FolderEntry.folder(of: file) + "/" + name, limit_bytes: 1 << 20)
    }
  }

  private func wipe() throws(Failure) {
    do throws(HostError) {
      // The note goes before the file: it would outlive it, and keep the same file from being taken another time.
      try WipedFile.wipe(file) { () throws(HostError) in try OwnedFile.remove(FirstBoot.takenPath) }
      // One that is not there, or cannot be removed, does no harm.
      unlink(errorFile)
    } catch {
      throw Failure(
        exit: .cannotCreate,
        words: "all that \(file) gives is in place, but it cannot be wiped, and holds secrets: \(error)")
    }
  }

  private func attempt<Value>(_ exit: ExitReason, _ work: () throws -> Value) throws(Failure) -> Value {
    do { return try work() } catch { throw refuse(exit, "\(error)") }
  }

  /// Beside the file as well, where any computer shows it.
  private func refuse(
    _ exit: ExitReason, _ words: String,
    advice: String = "nothing of it counts until it is corrected; it stays as it is"
  ) -> Failure {
    try? ReportFile.write(errorFile, "\(words)\n\(advice)\n")
    return Failure(exit: exit, words: "\(words)\ngodwit: \(file): \(advice)")
  }
}

/// A program that says on this process' standard error what it does.
enum Subprocess {
  /// Waits for its end. - Returns: what is wrong with that; nil for nothing.
  static func problem(running command: [String]) -> String? {
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, command[0], nil, nil, &arguments, environ)
    guard code == 0 else { return "\(command[0]): \(String(cString: strerror(code)))" }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      if errno != EINTR { return "waitpid: \(String(cString: strerror(errno)))" }
    }
    let signal = status & 0x7F
    if signal != 0 { return "\(command[0]) was ended by signal \(signal)" }
    let exit = (status >> 8) & 0xFF
    return exit == 0 ? nil : "\(command[0]) ended with exit status \(exit)"
  }
}
