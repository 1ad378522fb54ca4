import Foundation
import Testing
import TrackerAgent
import TrackerBase
import TrackerBoard

@testable import TrackerIO
@testable import godwit

@Suite("The board's sleep as events")
struct BoardSourceTests {
  private let folder = QueueFolder()
  /// No bus: whoever asks it hears that at once.
  private let noBus = Logind(address: "unix:path=/nowhere/at/all")

  private final class Around {
    var users: [String] = []
    var upgrade: String?
    var suspended_ms: Int64 = 100
  }

  private let around = Around()
  private let program = AlarmProgram()

  private func source(_ logind: Logind? = nil, _ change: (inout SleepSettings) -> Void = { _ in })
    -> BoardSource
  {
    var settings = Settings().host.sleep
    settings.mode = .rtc
    change(&settings)
    let around = around
    return BoardSource(
      settings, clock: WakeClock("rtc0", root: folder.path), logind: logind ?? noBus, program: program,
      surroundings: .init(
        users: { around.users }, upgrade: { around.upgrade }, suspended_ms: { around.suspended_ms }),
      log: Log(level: .error))
  }

  /// The loop of the agent, until something comes.
  private func wait(_ source: BoardSource) -> [Event] {
    while true {
      let news = source.receive(ready: []) + program.receive(ready: [])
      let descriptors = source.descriptors + program.descriptors
      if !news.isEmpty || descriptors.isEmpty { return news }
      _ = Poller.wait(descriptors, timeout_ms: 60_000)
    }
  }

  @Test("persons and upgrades are in the way, before anybody else is asked")
  func held() {
    let source = source()
    around.upgrade = "packages are being changed"
    #expect(source.perform(.look) == [.board(.looked(.upgrade, words: "packages are being changed"))])
    around.users = ["alice"]
    #expect(source.perform(.look) == [.board(.looked(.person, words: "alice is logged in"))])
    around.users = ["alice", "bob"]
    #expect(source.perform(.sleep) == [.board(.looked(.person, words: "alice, bob are logged in"))])
  }

  @Test("without a bus nothing is ordered, and it is said")
  func bus() {
    let refused = [Event.board(.refused("there is no system bus, so that systemd-logind cannot be asked"))]
    #expect(source().perform(.look) == refused && source().perform(.sleep) == refused)
  }

  @Test("an alarm of the kernel's clock is set at once; one that is not there is refused")
  func alarm() throws {
    let source = source()
    guard case .board(.alarmFailed(let words))? = source.perform(.setAlarm(in_ms: 60_000, at_ms: 0)).first
    else {
      Issue.record("no refusal")
      return
    }
    #expect(words.hasPrefix("the wake alarm cannot be set: there is no clock "))
    try FileManager.default.createDirectory(
      atPath: folder.path + "/sys/class/rtc/rtc0", withIntermediateDirectories: true)
    folder.write(Array("500\n".utf8), to: "sys/class/rtc/rtc0/since_epoch")
    folder.write([], to: "sys/class/rtc/rtc0/wakealarm")
    #expect(source.perform(.setAlarm(in_ms: 60_000, at_ms: 0)) == [.board(.alarmSet(alarm_s: 560))])
    #expect(source.perform(.clearAlarm) == [])
  }

  @Test("a HAT's program gets the time to wake at, and its exit status counts", arguments: [0, 3])
  func command(status: Int) throws {
    let (program, told) = (folder.path + "/alarm", folder.path + "/told")
    folder.write(Array("#!/bin/sh\necho \"$@\" >>\(told)\nexit \(status)\n".utf8), to: "alarm")
    chmod(program, 0o755)
    let source = source { ($0.mode, $0.command) = (.command, [program, "--hat"]) }
    #expect(source.perform(.setAlarm(in_ms: 36_000_999, at_ms: 1_748_880_000_999)) == [])
    let wanted: BoardNews =
      status == 0
      ? .alarmSet(alarm_s: nil) : .alarmFailed("host.sleep.command: \(program) ended with exit status 3")
    #expect(wait(source) == [.board(wanted)])
    #expect(source.perform(.clearAlarm) == [] && wait(source) == [])
    #expect(try String(contentsOfFile: told, encoding: .utf8) == "--hat set 1748880000 36000\n--hat clear\n")
  }

  /// A program of a HAT, as a shell script.
  private func script(_ text: String) -> [String] {
    folder.write(Array("#!/bin/sh\n\(text)\n".utf8), to: "alarm")
    chmod(folder.path + "/alarm", 0o755)
    return [folder.path + "/alarm"]
  }

  @Test("a program that hangs, with a child that hangs too, is killed after its time, and no alarm counts")
  func hangs() throws {
    let hasty = AlarmProgram(timeout_s: 0.2)
    let command = script("trap '' TERM; sleep 1000 & wait; sleep 1000")
    #expect(hasty.begin(command + ["set", "1", "1"], sets: true, log: Log(level: .error)) == nil)
    var news: [Event] = []
    while news.isEmpty {
      _ = Poller.wait(hasty.descriptors, timeout_ms: 60_000)
      news = hasty.receive(ready: [])
    }
    #expect(
      news == [
        .board(.alarmFailed("host.sleep.command: \(command[0]) took longer than 0 s and was killed"))
      ])
    #expect(hasty.descriptors.isEmpty)
  }

  @Test("a program that prints megabytes of garbage is heard by its exit status alone")
  func garbage() {
    let source = source {
      ($0.mode, $0.command) = (
        .command, script("head -c 3000000 /dev/urandom; head -c 3000000 /dev/zero >&2")
      )
    }
    #expect(source.perform(.setAlarm(in_ms: 60_000, at_ms: 60_000)) == [])
    #expect(wait(source) == [.board(.alarmSet(alarm_s: nil))])
  }

  @Test("an alarm that is taken back as the settings go is taken back all the same")
  func exchanged() throws {
    let told = folder.path + "/told"
    var old: BoardSource? = source {
      ($0.mode, $0.command) = (.command, script("sleep 0.1; echo $1 >>\(told)"))
    }
    #expect(old?.perform(.clearAlarm) == [])
    old = nil
    while !program.descriptors.isEmpty {
      _ = Poller.wait(program.descriptors, timeout_ms: 60_000)
      #expect(program.receive(ready: []) == [])
    }
    #expect(try String(contentsOfFile: told, encoding: .utf8) == "clear\n")
  }

  @Test(
    "an alarm that another program has changed since it was set: no order",
    .enabled(
      if: canImitateModems,
      "dbus-daemon, python3-dbus or python3-gi is missing: deploy/packages test installs them"))
  func changedAlarm() throws {
    let (bus, address) = try Peer.bus()
    let imitation = try Peer.rig("logind-power", [], ["DBUS_SYSTEM_BUS_ADDRESS": address])
    #expect(imitation.line() == "ready")
    try FileManager.default.createDirectory(
      atPath: folder.path + "/sys/class/rtc/rtc0", withIntermediateDirectories: true)
    folder.write(Array("500\n".utf8), to: "sys/class/rtc/rtc0/since_epoch")
    folder.write([], to: "sys/class/rtc/rtc0/wakealarm")
    let source = source(Logind(address: address))
    #expect(source.perform(.setAlarm(in_ms: 60_000, at_ms: 0)) == [.board(.alarmSet(alarm_s: 560))])
    folder.write([], to: "sys/class/rtc/rtc0/wakealarm")
    let now = source.perform(.sleep)
    guard case .board(.refused(let words))? = (now.isEmpty ? wait(source) : now).first else {
      Issue.record("no refusal")
      return
    }
    #expect(words.hasPrefix("the wake alarm is no longer as it was set: "))
    #expect(imitation.tell("{}") == "ok")
    bus.kill()
  }

  @Test("a program that is not there is refused at once")
  func noCommand() {
    let source = source { ($0.mode, $0.command) = (.command, ["/nowhere/alarm"]) }
    guard case .board(.alarmFailed(let words))? = source.perform(.setAlarm(in_ms: 1000, at_ms: 1000)).first
    else {
      Issue.record("no refusal")
      return
    }
    #expect(words.hasPrefix("host.sleep.command: /nowhere/alarm could not be started"))
  }

  @Test("a machine that was suspended says so once, whoever suspended it")
  func resumed() {
    let source = source()
    #expect(source.receive(ready: []) == [])
    around.suspended_ms += 400
    #expect(source.receive(ready: []) == [])
    around.suspended_ms += 3_600_000
    #expect(source.receive(ready: []) == [.board(.resumed(slept_ms: 3_600_000))])
    #expect(source.receive(ready: []) == [])
  }

  @Test(
    "with logind: asked, looked at once more before the order, and then off",
    .enabled(
      if: canImitateModems,
      "dbus-daemon, python3-dbus or python3-gi is missing: deploy/packages test installs them"))
  func off() throws {
    let (bus, address) = try Peer.bus()
    let imitation = try Peer.rig("logind-power", [], ["DBUS_SYSTEM_BUS_ADDRESS": address])
    #expect(imitation.line() == "ready")
    let source = source(Logind(address: address))
    func said(_ order: BoardOrder) -> [Event] {
      let now = source.perform(order)
      return now.isEmpty ? wait(source) : now
    }
    #expect(said(.look) == [.board(.looked(nil))])
    _ = imitation.tell(#"{"locks": [["shutdown", "a backup", "it runs", "block"]]}"#)
    let held = Event.board(.looked(.inhibitor, words: "an inhibitor lock is held by a backup: it runs"))
    #expect(said(.look) == [held] && said(.sleep) == [held])
    #expect(imitation.tell(#"{"locks": []}"#) == "ok")
    #expect(said(.sleep) == [.board(.accepted)])
    #expect(imitation.tell("{}") == "ok PowerOff(False)")
    // It was told: nobody knows whether the board goes off.
    _ = imitation.tell(#"{"vanishes": true}"#)
    #expect(said(.sleep) == [.board(.unanswered("systemd-logind does not answer"))])
    bus.kill()
  }

  @Test("how a sleep ended is looked at only after one")
  func start() throws {
    var settings = Settings()
    settings.ignition.chip = "simulated:\(folder.path)"
    settings.ignition.line = "ignition"
    folder.write(Array("1\n".utf8), to: "ignition")
    #expect(BoardStart(settings, after: [:]) == BoardStart())
    #expect(BoardStart(settings, after: ["sleep": ["reason": "parked"]]).ignitionIsOn == true)
  }
}
