import Glibc
import TrackerBase

/// What a board needs to sleep and to come back, and whether this one has it: for `godwit check` and `godwit doctor`.
public enum SleepCheck {
  public struct Answer: Equatable, Sendable {
    public enum Level: Equatable, Sendable {
      case fine
      /// It could not be found out here.
      case unknown
      /// It sleeps, and not as it should.
      case warning
      /// It never sleeps, or does not come back.
      case problem
    }

    public var level: Level
    /// What it is about: a setting, a file, or a name of the firmware's.
    public var what: String
    /// What was found, and what to do.
    public var words: String
  }

  /// What the agent needs of the system. What files may be written is judged for this process: run it as the agent's user.
  ///
  /// - Parameter root: before the paths of all that is read.
  /// - Returns: one finding for each thing that is needed; none where the board never sleeps.
  public static func findings(_ settings: SleepSettings, root: String = "") -> [Answer] {
    switch settings.mode {
    case .off: []
    case .rtc: [clock(settings, root), alarm(settings, root), state(settings, root)]
    case .command: [program(settings, root), state(settings, root)]
    }
  }

  private static func clock(_ settings: SleepSettings, _ root: String) -> Answer {
    let key = "host.sleep.rtc"
    do throws(BoardError) {
      let now_s = try WakeClock(settings.rtc, root: root).now_s()
      return Answer(level: .fine, what: key, words: "\(settings.rtc) runs, and shows the Unix time \(now_s)")
    } catch {
      return Answer(
        level: .problem, what: key,
        words:
          "is of no use: \(error). A board without such a clock cannot be woken; a HAT with one may (mode = \"command\")"
      )
    }
  }

  private static func alarm(_ settings: SleepSettings, _ root: String) -> Answer {
    let path = WakeClock(settings.rtc, root: root).alarmPath
    if access(path, F_OK) != 0 {
      return Answer(
        level: .problem, what: path,
        words:
          "is not there: the kernel knows no alarm of this clock that wakes the board (wakeup-source in the device tree)"
      )
    }
    if !may(W_OK, path) {
      return Answer(
        level: .problem, what: path,
        words:
          "may not be written by \(UserName.own()): the package's udev rule gives the group godwit this file")
    }
    return Answer(level: .fine, what: path, words: "may be set")
  }

  private static func program(_ settings: SleepSettings, _ root: String) -> Answer {
    let (key, program) = ("host.sleep.command", settings.command.first ?? "")
    return may(X_OK, root + program)
      ? Answer(level: .fine, what: key, words: "\(program) may be run")
      : Answer(
        level: .problem, what: key, words: "\(program) is not there, or \(UserName.own()) may not run it")
  }

  /// The kernel's list of what it can suspend to (Documentation/admin-guide/pm/sleep-states.rst).
  private static func state(_ settings: SleepSettings, _ root: String) -> Answer {
    let key = "host.sleep.state"
    guard settings.state == .mem else {
      return Answer(level: .fine, what: key, words: "off, through systemd-logind")
    }
    let states = text("\(root)/sys/power/state") ?? ""
    return states.split(separator: " ").contains("mem")
      ? Answer(level: .fine, what: key, words: "the kernel can suspend to memory")
      : Answer(
        level: .problem, what: key, words: "this machine cannot be suspended to memory: use \"poweroff\"")
  }

  // MARK: Raspberry Pi 5

  /// What the boot loader is to be told, so that a halted board is off and its alarm starts it.
  static let firmwareWanted = [("POWER_OFF_ON_HALT", "1"), ("WAKE_ON_GPIO", "0")]

  /// What the boot loader needs to be told: root may read it, the agent's user mostly not. Empty on other boards, and
  /// where the board never is off.
  public static func firmware(_ settings: SleepSettings, root: String = "") -> [Answer] {
    guard settings.isOn, settings.state == .poweroff else { return [] }
    // The 500 and the Compute Module 5 are the same board.
    guard let model = text("\(root)/proc/device-tree/model"),
      ["Raspberry Pi 5", "Raspberry Pi Compute Module 5"].contains(where: { model.hasPrefix($0) })
    else { return [] }
    guard let settings = bootloader(root) else {
      return [
        Answer(
          level: .unknown, what: "POWER_OFF_ON_HALT",
          words:
            "the boot loader's settings cannot be read here: `sudo rpi-eeprom-config` should show POWER_OFF_ON_HALT=1 and WAKE_ON_GPIO=0"
        )
      ]
    }
    return firmwareWanted.map { key, wanted in
      let found = settings[key]
      if found == wanted { return Answer(level: .fine, what: key, words: "is \(wanted)") }
      let is_ = found.map { "is \($0)" } ?? "is not set"
      return Answer(
        level: .warning, what: key,
        words:
          "\(is_) in the boot loader: a board that is halted goes on drawing some hundred mA. `sudo rpi-eeprom-config --edit`: \(key)=\(wanted)"
      )
    }
  }

  /// `KEY=VALUE` lines of the sections `[all]` and `[pi5]` or of none, the last one counting, from where
  /// rpi-eeprom-config has them: the device that the device tree calls `blconfig`.
  static func bootloader(_ root: String) -> [String: String]? {
    let tree = "\(root)/sys/firmware/devicetree/base"
    guard let node = text("\(tree)/aliases/blconfig") else { return nil }
    let devices = "\(root)/sys/bus/nvmem/devices"
    for device in FolderEntry.all(in: devices) {
      let folder = "\(devices)/\(device.name)"
      guard let described = realPath("\(folder)/of_node"), described == realPath(tree + node),
        let bytes = try? OutsideFile.read("\(folder)/nvmem", limit_bytes: 65_536)
      else { continue }
      return parse(String(decoding: bytes.prefix { $0 != 0 && $0 != 0xFF }, as: UTF8.self))
    }
    return nil
  }

  static func parse(_ text: String) -> [String: String] {
    var (found, counts) = ([String: String](), true)
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.split(separator: " ").joined()
      if line.hasPrefix("[") { counts = line == "[all]" || line == "[pi5]" }
      let words = line.split(separator: "=", maxSplits: 1).map(String.init)
      if counts, words.count == 2, !line.hasPrefix("#") { found[words[0]] = words[1] }
    }
    return found
  }

  /// By the user that this process acts as.
  private static func may(_ access: Int32, _ path: String) -> Bool {
    faccessat(AT_FDCWD, path, access, AT_EACCESS) == 0
  }

  private static func realPath(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  private static func text(_ path: String) -> String? {
    guard let bytes = try? OutsideFile.read(path, limit_bytes: 4096) else { return nil }
    return String(decoding: bytes.prefix { $0 != 0 && $0 != 10 }, as: UTF8.self)
  }
}
