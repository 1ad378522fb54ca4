import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerReceiver
import TrackerWire

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Say whether settings files are fine.",
    discussion: """
      It finds what `run` would: mistakes in the files, files of secrets that are missing, that others may read, \
      files that the agent may not read or write (run by root, it looks at them as the owner of the queue), zones, geofences, GPIO chips and lines. What is allowed and can hardly be meant, such as a schedule rule whose date is \
      past, is a warning and no problem.

      A file that is only the beginning of what the agent ran with is refused, as a reload refuses it: by the copy of \
      that in $STATE_DIRECTORY or /var/lib/godwit, which root and the agent's user may read.

      Exit codes: 0 all are fine, 64 a mistake on the command line, 66 one cannot be read, 78 one has problems. Of \
      several it is the highest.
      """)

  @Argument(help: "The settings files.", completion: .settings)
  var files = [SettingsLocation.standard]

  @Flag(
    help:
      "They are of other machines: what lies there (secrets, geofences, chips, sync.also) is not looked at.")
  var elsewhere = false

  func run() throws {
    var worst: Int32?
    for file in files {
      if Self.isFolder(file) {
        let files = file.hasSuffix("/") ? "\(file)*.toml" : "\(file)/*.toml"
        Terminal.error("\(file) is a folder: name the files in it, such as \(files)\n")
        worst = max(worst ?? 0, EX_NOINPUT)
        continue
      }
      do { try elsewhere ? Self.checkElsewhere(file) : Self.check(file) } catch let code as ExitCode {
        worst = max(worst ?? 0, code.rawValue)
      }
    }
    if let worst { throw ExitCode(worst) }
  }

  private static func isFolder(_ path: String) -> Bool {
    var info = stat()
    return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
  }

  private static func checkElsewhere(_ file: String) throws {
    let read: SettingsFile
    do throws(SettingsFileError) { read = try SettingsFile.readElsewhere(file) } catch {
      Terminal.error("\(error)\n")
      throw ExitCode(error.exitCode)
    }
    report(read.settings, of: file, in: try zone(of: read), fences: nil, device: nil)
  }

  private static func check(_ file: String) throws {
    let loaded = try SettingsLocation.read(file)
    let settings = loaded.settings
    // All are looked at, so that all are named.
    let problems = problems(of: loaded.file)
    for words in problems { Terminal.error("\(words)\n") }
    let zone = Result { try Self.zone(of: loaded.file) }
    let fences = try GeofencesFile.readOrExit(settings.geofencesFile)
    let found = try zone.get()
    guard problems.isEmpty else { throw ExitCode(ExitReason.settings.rawValue) }
    let device = DeviceNameFile(queuePath: settings.queue.path).identity(of: settings, keeps: false)
    report(settings, of: file, in: found, fences: fences.count, device: device)
    if GPIOLines.chips().isEmpty, !lines(of: settings).isEmpty {
      print("  lines     not looked at: this machine has no GPIO chip")
    }
    // No problem of the file's: it may be of a board that is still to be prepared.
    let sleep = sleepFindings(of: settings)
    let battery = Self.battery(settings.battery)
    if let line = battery.line { print("  battery   \(line)") }
    if let words = overlay(over: loaded.file) { print("  \(words)") }
    for words in beliefs(settings) { print("  warning: \(words)") }
    if let words = device.isDrawnLater ? drawnLater : device.note { print("  warning: \(words)") }
    if let words = LastGoodSettings.unreadable(for: file) {
      print("  warning: whether this file was cut is not known, use sudo: \(words)")
    }
    let gpsd = Self.gpsd(settings.gps)
    print("  gpsd      \(gpsd.line)")
    if let words = gpsd.problem { print("  warning: \(words)") }
    for words in hiddenFiles(of: settings) + awaitedSecrets(of: settings) { print("  warning: \(words)") }
    for finding in sleep where finding.level != .fine { print("  warning: \(finding.what) \(finding.words)") }
    if let words = battery.problem { print("  warning: \(words)") }
  }

  /// What of the settings file's own surroundings is not as the agent needs it: files that it reads and writes, GPIO chips
  /// and lines.
  static func problems(of file: SettingsFile) -> [String] {
    let settings = file.settings
    let lines = lineProblems(of: settings).map { "\(file.name): \($0)" }
    if AgentUser.isStranger(to: settings) {
      let words =
        "\(file.name): whether the agent can use its secrets is not known to the user \(UserName.own()): use sudo"
      return (settings.servers.allSatisfy(\.sync.allSecretFiles.isEmpty) ? [] : [words]) + lines
    }
    // What root may read, the agent may not.
    let files = AgentUser.asOwner(ofQueue: settings.queue.path) {
      file.unreadableFiles() + file.checkFiles().map { "\($0)" } + secretFlaws(of: settings)
    }
    return files + [AgentUser.foreignFile(of: settings)].compactMap { $0 } + lines
  }

  /// What the unit keeps from the agent (ProtectHome=), whatever the modes say.
  private static func hiddenFiles(of settings: Settings) -> [String] {
    let secrets = settings.servers.flatMap { $0.sync.allSecretFiles.map(\.file) + [$0.sync.caFile] }
    return (secrets + [settings.geofencesFile]).compactMap { path in
      guard ["/home/", "/root/", "/run/user/"].contains(where: path.hasPrefix) else { return nil }
      return "\(path) lies where the service sees nothing: move it to /etc/godwit"
    }
  }

  /// What the agent needs to put the board to sleep, and what the boot loader does.
  static func sleepFindings(of settings: Settings, root: String = "") -> [SleepCheck.Answer] {
    let sleep = settings.host.sleep
    return AgentUser.asOwner(ofQueue: settings.queue.path) { SleepCheck.findings(sleep, root: root) }
      + SleepCheck.firmware(sleep, root: root)
  }

  /// By the agent that runs: which servers have never named a record.
  private static func beliefs(_ settings: Settings) -> [String] {
    guard let status = AgentLink(settings).status else { return [] }
    let others = status["also"]?.array ?? []
    return
      ([(name: "", sync: status["sync"])] + others.map { (name: $0["name"]?.string ?? "", sync: $0["sync"]) })
      .compactMap { server in
        StatusReport.belief(server.sync).map {
          OtherServer.label(server.name) + $0 + ": see whether its records are there"
        }
      }
  }

  /// The file is judged by itself; what the server has set may hide a change of it.
  private static func overlay(over file: SettingsFile) -> String? {
    guard let state = try? OverlayFile(queuePath: file.settings.queue.path).read(),
      let overlay = state.wanted,
      !overlay.isEmpty
    else { return nil }
    if let problem = Overlaid(file, under: overlay).use.problem {
      return
        "note: with this file version \(overlay.version) of the server's settings does not count: \(problem)"
    }
    return
      "note: version \(overlay.version) of the server's settings lies over this file: godwit settings --effective"
  }

  private static func zone(of file: SettingsFile) throws -> SystemZone {
    do throws(ZoneError) { return try SystemZone(file.settings.timezone) } catch {
      Terminal.error("\(file.zonePlace): \(error)\n")
      throw ExitCode(ExitReason.settings.rawValue)
    }
  }

  private static func report(
    _ settings: Settings, of file: String, in zone: SystemZone, fences: Int?,
    device: DeviceNameFile.Found?
  ) {
    print("\(file): fine")
    for note in settings.notes { print("  note: \(note)") }
    print(summary(of: settings, fences: fences, device: device), terminator: "")
    for words in Plan.idleRules(of: settings, in: zone) { print("  warning: \(words)") }
  }

  /// Chips and lines that are not there. A machine without any is a workstation.
  private static func lineProblems(of settings: Settings) -> [String] {
    if GPIOLines.chips().isEmpty { return [] }
    return lines(of: settings).compactMap { group, key, chip, line -> String? in
      do throws(GPIOError) {
        try GPIOLines.find(chip: chip, line: line)
        return nil
      } catch { return error.words(settings: group, key: key) }
    }
  }

  private static func lines(
    of settings: Settings
  ) -> [(group: String, key: String, chip: String, line: String)] {
    let power = settings.gps.power
    let outputs = [
      ("gps.power", "line", power.chip, power.mode.needsLine ? power.line : ""),
      ("gps.power", "status_line", power.chip, power.mode == .pulse ? power.statusLine : ""),
    ]
    let inputs = settings.inputLines.map { ($0.rawValue, "line", $1.chip, $1.line) }
    return (outputs + inputs).filter { !$0.2.isEmpty && !$0.3.isEmpty && !$0.2.hasPrefix("simulated:") }
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
    eachSecret(of: settings) { file, sync in
      do throws(SecretFile.ReadError) {
        _ = try SecretFile.read(file, mayHaveBlanks: file != sync.tokenFile)
        return nil
      } catch {
        switch error {
        // Reported before, unless it is still to come.
        case .unreadable, .tooLarge, .refused: return nil
        case .empty where !sync.authCommand.isEmpty: return nil
        case .empty, .byteOrderMark, .blankInside, .carriageReturn, .notPlainText: return "\(error)"
        }
      }
    }
  }

  /// Credentials of systemd's that are not there before the service runs.
  private static func awaitedSecrets(of settings: Settings) -> [String] {
    eachSecret(of: settings) { file, _ in
      guard CredentialsFolder.holds(file), access(CredentialsFolder.path, F_OK) != 0 else { return nil }
      return "\(OutsideFileError.callFailed("open", path: file, code: ENOENT))"
    }
  }

  /// - Parameter words: of a file, what is wrong with it.
  private static func eachSecret(
    of settings: Settings, _ words: (String, SyncSettings) -> String?
  ) -> [String] {
    settings.servers.flatMap { name, sync in
      sync.secretFiles.compactMap { path, file in
        words(file, sync).map { "\(OtherServer.label(name))\(SettingText.dotted(path)): \($0)" }
      }
    }
  }

  /// What gpsd has. One that is away now may come: that is no warning.
  private static func gpsd(_ settings: GPSSettings) -> (line: String, problem: String?) {
    let devices: [GPSDDevice]
    switch GPSDInquiry.devices(of: settings) {
    case .success(let known): devices = known
    case .failure(let silence):
      return (
        "not asked for its devices: \(silence)",
        absent([settings.device], of: settings) ?? NoIPv6.words(settings)
      )
    }
    let names = devices.map { SettingText.quoted($0.path) }.joined(separator: ", ")
    if devices.isEmpty { return ("has no device", MissingDeviceWords.every) }
    guard !settings.device.isEmpty, !devices.contains(where: { $0.path == settings.device }) else {
      return ("has \(names)", absent(devices.map(\.path), of: settings))
    }
    return ("has \(names)", MissingDeviceWords.preferred(settings.device, names: names))
  }

  /// Devices that are not there, in words; nil: all are, or gpsd is on another machine.
  static func absent(_ devices: [String], of settings: GPSSettings) -> String? {
    guard ServerURL.isLoopback(host: settings.host) else { return nil }
    let missing = devices.filter { $0.hasPrefix("/dev/") && access($0, F_OK) != 0 }
    return missing.isEmpty
      ? nil : MissingDeviceWords.absent(missing.map(SettingText.quoted).joined(separator: ", "))
  }

  /// Read once. The file itself may be missing where the settings are written.
  private static func battery(_ settings: BatterySettings) -> (line: String?, problem: String?) {
    guard settings.exists else { return (nil, nil) }
    do throws(VoltageError) {
      let number = try VoltageFile(settings).number()
      return (settings.volts(of: number), settings.doubt(of: number))
    } catch .missing {
      return ("not read: there is no such file here", nil)
    } catch { return (nil, "battery.voltage_file: \(error)") }
  }

  private static func words(for device: DeviceNameFile.Found?, of settings: Settings) -> String {
    guard settings.deviceID.isEmpty else { return SettingText.quoted(settings.deviceID) }
    guard let device, device.identity.source != .machineID else { return "named by the machine id" }
    return device.isDrawnLater ? "has no name yet" : SettingText.quoted(device.identity.name)
  }

  private static let drawnLater =
    "device_id is not set, and nothing names this machine: the agent draws a name at its first start, and keeps it; set device_id for another one"

  /// - Parameter device: nil where another machine names it.
  private static func summary(of settings: Settings, fences: Int?, device: DeviceNameFile.Found?) -> String {
    let device = Self.words(for: device, of: settings)
    let rules = settings.schedule.isEmpty ? "always" : settings.schedule.joined(separator: "; ")
    let server = (try? ServerURL(settings.sync.url))?.host ?? "none: everything stays in the queue"
    let also = settings.others.map {
      "\n  also      \($0.name): \((try? ServerURL($0.sync.url))?.host ?? "")"
    }.joined()
    return """
        device    \(device)
        schedule  \(rules)
        server    \(server)\(also)
        geofences \(fences.map(String.init) ?? (settings.geofencesFile.isEmpty ? "0" : "not looked at"))
        track     \(preset(of: settings))

      """
  }
}

extension DeviceNameFile.Found {
  /// Another one will be drawn by the agent.
  fileprivate var isDrawnLater: Bool { identity.source == .random && !isKept }
}

/// Debian's gpsd.socket lists [::1] too. Where there is no IPv6 it fails whole, and gpsd is never started.
enum NoIPv6 {
  /// What to do; nil where there is IPv6, or gpsd is on another machine.
  static func words(_ settings: GPSSettings) -> String? {
    guard ServerURL.isLoopback(host: settings.host), !hasLoopback else { return nil }
    return
      "this machine has no IPv6, and Debian's gpsd.socket fails without: sudo godwit-setup --board has it listen on 127.0.0.1 alone"
  }

  /// The kernel lists ::1 where there is IPv6.
  private static var hasLoopback: Bool {
    let lines = (try? OutsideFile.read("/proc/net/if_inet6", limit_bytes: 65_536)) ?? []
    return lines.split(separator: UInt8(ascii: "\n"))
      .contains { $0.starts(with: "00000000000000000000000000000001 ".utf8) }
  }
}
