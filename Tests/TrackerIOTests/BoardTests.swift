import Foundation
import Testing
import TrackerBase

@testable import TrackerIO

/// A tree laid out like /, with what the kernel shows of a board.
final class BoardTree {
  let root = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-board-\(UUID())").path

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func write(_ text: String, _ path: String) {
    let url = URL(fileURLWithPath: root + path)
    try? FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? Data(text.utf8).write(to: url)
  }

  func text(_ path: String) -> String { (try? String(contentsOfFile: root + path, encoding: .utf8)) ?? "" }

  func link(_ path: String, to target: String) {
    let url = URL(fileURLWithPath: root + path)
    try? FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    symlink(target, root + path)
  }
}

@Suite("The clock that wakes the board")
struct WakeClockTests {
  private let tree = BoardTree()
  private var clock: WakeClock { WakeClock("rtc0", root: tree.root) }
  private let folder = "/sys/class/rtc/rtc0"

  @Test("the alarm is set by the clock's own time, and read back")
  func sets() throws {
    tree.write("1000000\n", folder + "/since_epoch")
    tree.write("", folder + "/wakealarm")
    #expect(try clock.setAlarm(in_ms: 36_000_000) == 1_036_000)
    #expect(tree.text(folder + "/wakealarm").hasPrefix("1036000\n"))
    try clock.clearAlarm()
    #expect(tree.text(folder + "/wakealarm").hasPrefix("0\n"))
  }

  @Test("no clock, no alarm, no number, no right, and an alarm that reads otherwise: said, with the file")
  func refusals() {
    func words() -> String {
      do throws(BoardError) {
        _ = try clock.setAlarm(in_ms: 60_000)
        return ""
      } catch { return error.description.replacingOccurrences(of: tree.root, with: "") }
    }
    #expect(words() == "there is no clock /sys/class/rtc/rtc0: host.sleep.rtc names one of /sys/class/rtc")
    tree.write("soon\n", folder + "/since_epoch")
    #expect(words() == "/sys/class/rtc/rtc0/since_epoch is no number")
    tree.write("9223372036854775807\n", folder + "/since_epoch")
    #expect(words() == "/sys/class/rtc/rtc0/since_epoch shows no time: 9223372036854775807")
    tree.write("1000000\n", folder + "/since_epoch")
    #expect(
      words()
        == "this clock has no alarm that wakes the board: there is no /sys/class/rtc/rtc0/wakealarm")
    // It takes what is written, and has nothing.
    tree.link(folder + "/wakealarm", to: "/dev/null")
    #expect(words().hasPrefix("/sys/class/rtc/rtc0/wakealarm") || words().contains("regular file"))
  }

  @Test("an alarm that somebody else has set or taken back meanwhile is found")
  func checks() throws {
    tree.write("1036000\n", folder + "/wakealarm")
    try clock.checkAlarm(1_036_000)
    for other in ["", "1035000\n"] {
      tree.write(other, folder + "/wakealarm")
      #expect(throws: BoardError.self) { try clock.checkAlarm(1_036_000) }
    }
  }

  @Test("an alarm that reads otherwise is none")
  func words() {
    let error = BoardError.alarmDiffers("/sys/class/rtc/rtc0/wakealarm", wanted_s: 77, reads: "")
    #expect("\(error)" == "/sys/class/rtc/rtc0/wakealarm was set to 77, and reads nothing")
    let denied = BoardError.callFailed("open", code: EACCES, path: "/sys/class/rtc/rtc0/wakealarm")
    #expect(
      "\(denied)"
        == "open /sys/class/rtc/rtc0/wakealarm: Permission denied (errno 13). The package's udev rule gives the group godwit this file."
    )
    let sandboxed = BoardError.callFailed("open", code: EROFS, path: "/sys/class/rtc/rtc2/wakealarm")
    #expect("\(sandboxed)".hasSuffix("another one needs ReadWritePaths= in a drop-in"))
  }
}

@Suite("What a board needs to sleep")
struct SleepCheckTests {
  private let tree = BoardTree()

  private func findings(_ change: (inout SleepSettings) -> Void = { _ in }) -> [SleepCheck.Answer] {
    var settings = Settings().host.sleep
    settings.mode = .rtc
    change(&settings)
    return SleepCheck.findings(settings, root: tree.root) + SleepCheck.firmware(settings, root: tree.root)
  }

  private func rtc() {
    tree.write("1000000\n", "/sys/class/rtc/rtc0/since_epoch")
    tree.write("", "/sys/class/rtc/rtc0/wakealarm")
  }

  /// As `rpi-eeprom-config` finds it.
  private func pi5(_ bootloader: String?) {
    tree.write("Raspberry Pi 5 Model B Rev 1.0\0", "/proc/device-tree/model")
    guard let bootloader else { return }
    tree.write("/reserved-memory/nvram@1\0", "/sys/firmware/devicetree/base/aliases/blconfig")
    tree.write("", "/sys/firmware/devicetree/base/reserved-memory/nvram@1/name")
    tree.write("", "/sys/firmware/devicetree/base/reserved-memory/nvram@0/name")
    for (number, text) in [(0, "POWER_OFF_ON_HALT=9\n"), (1, bootloader)] {
      tree.write(text, "/sys/bus/nvmem/devices/rmem\(number)/nvmem")
      tree.link(
        "/sys/bus/nvmem/devices/rmem\(number)/of_node",
        to: tree.root + "/sys/firmware/devicetree/base/reserved-memory/nvram@\(number)")
    }
  }

  @Test("off: nothing is needed")
  func off() { #expect(findings { $0.mode = .off } == []) }

  @Test("a clock with an alarm is all that is needed")
  func fine() {
    rtc()
    #expect(findings().map(\.level) == [.fine, .fine, .fine])
  }

  @Test("a board without a clock cannot be woken")
  func noClock() {
    let levels = findings()
    #expect(levels.map(\.level) == [.problem, .problem, .fine])
    #expect(levels[0].what == "host.sleep.rtc" && levels[0].words.contains("mode = \"command\""))
  }

  @Test("Raspberry Pi 5: the boot loader must let go of the supply, and is asked")
  func bootloader() {
    rtc()
    pi5("[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=1\nWAKE_ON_GPIO=0\n[pi4]\nWAKE_ON_GPIO=1\n\u{0}garbage")
    #expect(findings().map(\.level) == [.fine, .fine, .fine, .fine, .fine])
    pi5("[all]\nBOOT_UART=1\nPOWER_OFF_ON_HALT=0\n")
    let found = findings().suffix(2)
    #expect(found.map(\.what) == ["POWER_OFF_ON_HALT", "WAKE_ON_GPIO"])
    #expect(found.map(\.level) == [.warning, .warning])
    #expect(
      found.first?.words
        == "is 0 in the boot loader: a board that is halted goes on drawing some hundred mA. `sudo rpi-eeprom-config --edit`: POWER_OFF_ON_HALT=1"
    )
    #expect(found.last?.words.hasPrefix("is not set in the boot loader") == true)
  }

  @Test(
    "the other boards with the same clock are asked too",
    arguments: ["500 Rev 1.0", "Compute Module 5 Rev 1.0"])
  func sameBoard(name: String) {
    rtc()
    pi5("POWER_OFF_ON_HALT=0\n")
    tree.write("Raspberry Pi \(name)\0", "/proc/device-tree/model")
    #expect(findings().suffix(2).map(\.level) == [.warning, .warning])
  }

  @Test(
    "Raspberry Pi 5 whose boot loader's settings cannot be read: nobody knows, and it is said how to look")
  func unknownBootloader() {
    rtc()
    pi5(nil)
    #expect(findings().last?.level == .unknown)
    #expect(findings().last?.words.contains("sudo rpi-eeprom-config") == true)
  }

  @Test("suspending needs a kernel that can; a HAT needs its program")
  func others() {
    rtc()
    #expect(findings { $0.state = .mem }.last?.level == .problem)
    tree.write("freeze mem disk\n", "/sys/power/state")
    #expect(findings { $0.state = .mem }.last?.level == .fine)
    let hat = findings { ($0.mode, $0.command) = (.command, ["/usr/local/bin/alarm"]) }
    #expect(
      hat.map(\.level) == [.problem, .fine] && hat[0].words.hasPrefix("/usr/local/bin/alarm is not there"))
  }
}

@Suite("Packages that are being changed")
struct PackageLocksTests {
  @Test("a lock that is held is found by the kernel's list; a file that is only there is not")
  func held() throws {
    let tree = BoardTree()
    let path = "/var/lib/dpkg/lock-frontend"
    tree.write("", path)
    var info = stat()
    try #require(stat(tree.root + path, &info) == 0)
    func held(_ line: String) -> String? {
      tree.write(line, "/proc/locks")
      return PackageLocks.held(root: tree.root, files: [tree.root + path])
    }
    #expect(held("") == nil)
    #expect(held("1: POSIX  ADVISORY  WRITE 1234 08:02:\(info.st_ino) 0 EOF\n") == tree.root + path)
    #expect(held("1: POSIX  ADVISORY  READ  1234 08:02:\(info.st_ino) 0 EOF\n") == nil)
    #expect(held("1: -> POSIX  ADVISORY  WRITE 1234 08:02:\(info.st_ino) 0 EOF\n") == nil)
    #expect(held("1: POSIX  ADVISORY  WRITE 1234 08:02:\(info.st_ino + 1) 0 EOF\nnonsense\n") == nil)
  }

  @Test("a version of the agent that is on trial is not slept over")
  func trial() {
    let tree = BoardTree()
    #expect(Upgrades.words(root: tree.root, locks: []) == nil)
    tree.write("phase=running\n", Upgrades.trial)
    #expect(
      Upgrades.words(root: tree.root, locks: []) == "a version is on trial: `godwit-update` says which")
  }

  @Test("the kernel's own list has a lock of this process")
  func real() throws {
    let tree = BoardTree()
    tree.write("", "/lock")
    let file = open(tree.root + "/lock", O_RDWR)
    defer { close(file) }
    #expect(PackageLocks.held(files: [tree.root + "/lock"]) == nil)
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    try #require(fcntl(file, F_SETLK, &lock) == 0)
    #expect(PackageLocks.held(files: [tree.root + "/lock"]) == tree.root + "/lock")
  }
}

/// The real bus, and our imitation of systemd-logind on it (Tests/Rig/logind-power).
@Suite(
  "Off, over the bus",
  .enabled(
    if: canImitateModems,
    "dbus-daemon, python3-dbus or python3-gi is missing: deploy/packages test installs them"))
struct LogindTests {
  private let bus: Peer
  private let address: String
  private let logind: Logind

  init() throws {
    (bus, address) = try Peer.bus()
    logind = Logind(address: address)
  }

  private func imitation() throws -> Peer {
    let peer = try Peer.rig("logind-power", [], ["DBUS_SYSTEM_BUS_ADDRESS": address])
    #expect(peer.line() == "ready")
    return peer
  }

  private func news(of order: Logind.Order) -> [Logind.News] {
    logind.begin(order)
    while true {
      let news = logind.drive()
      if !news.isEmpty || logind.descriptors.isEmpty { return news }
      _ = Poller.wait(logind.descriptors, timeout_ms: 20_000)
    }
  }

  @Test("locks that block are respected, and who has them is said; those that only delay are not in the way")
  func locks() throws {
    let imitation = try imitation()
    #expect(news(of: .ask(.poweroff)) == [.inhibited(by: nil)])
    _ = imitation.tell(
      #"{"locks": [["sleep:idle", "a player", "music", "block"], ["shutdown", "unattended-upgrades", "stop", "delay"]]}"#
    )
    #expect(news(of: .ask(.poweroff)) == [.inhibited(by: nil)])
    #expect(news(of: .ask(.mem)) == [.inhibited(by: "a player: music")])
    _ = imitation.tell(#"{"locks": [["shutdown:sleep", "a backup", "it runs", "block"]]}"#)
    #expect(news(of: .ask(.poweroff)) == [.inhibited(by: "a backup: it runs")])
  }

  @Test("off and suspend, without a question to anybody; a refusal has logind's words")
  func orders() throws {
    let imitation = try imitation()
    #expect(news(of: .sleep(.poweroff)) == [.accepted])
    #expect(news(of: .sleep(.mem)) == [.accepted])
    #expect(imitation.tell("{}") == "ok PowerOff(False) Suspend(False)")
    _ = imitation.tell(#"{"refuse": "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"}"#)
    let refusal = news(of: .sleep(.poweroff))
    guard case .failed(let error)? = refusal.first else {
      Issue.record("\(refusal)")
      return
    }
    #expect(
      "\(error)"
        == "systemd-logind refuses: Interactive authentication required. (org.freedesktop.DBus.Error.InteractiveAuthorizationRequired)"
    )
  }

  @Test("without logind, and without a bus, it is refused at once; nothing is left waiting")
  func absent() throws {
    let news = news(of: .sleep(.poweroff))
    guard case .failed(.refused(_, let name))? = news.first else {
      Issue.record("\(news)")
      return
    }
    #expect(name == "org.freedesktop.DBus.Error.ServiceUnknown")
    let lost = Logind(address: "unix:path=/nowhere/at/all")
    lost.begin(.ask(.poweroff))
    #expect(lost.drive() == [.failed(.noBus)] && lost.descriptors.isEmpty)
  }

  @Test("a bus that dies while it is asked")
  func dies() throws {
    let imitation = try imitation()
    _ = imitation.tell(#"{"silent": true}"#)
    logind.begin(.ask(.poweroff))
    // It is written out by the turns of the loop.
    for _ in 0..<3 where logind.drive().isEmpty { _ = Poller.wait(logind.descriptors, timeout_ms: 50) }
    bus.kill()
    var news: [Logind.News] = []
    while news.isEmpty, !logind.descriptors.isEmpty {
      _ = Poller.wait(logind.descriptors, timeout_ms: 20_000)
      news = logind.drive()
    }
    guard case .failed? = news.first else {
      Issue.record("\(news)")
      return
    }
  }
}
