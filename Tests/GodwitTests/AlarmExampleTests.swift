import Foundation
import Testing

/// The programs of config/profiles/alarms, with their HATs imitated: registers are files, a Python module is one of ours.
@Suite("Example programs that set a HAT's alarm")
struct AlarmExampleTests {
  private let folder = QueueFolder()
  private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("config/profiles/alarms")
    .path

  private func tool(_ name: String, _ text: String) {
    folder.write(Array(text.utf8), to: name)
    chmod(folder.path + "/" + name, 0o755)
  }

  private func run(_ example: String, _ words: String...) throws -> (status: Int32, errors: String) {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: "\(Self.examples)/\(example)")
    process.arguments = words
    process.environment = [
      "PATH": folder.path + ":/usr/bin:/bin", "PYTHONPATH": folder.path, "FOLDER": folder.path,
      "PYTHONDONTWRITEBYTECODE": "1", "TZ": "Asia/Tokyo",
    ]
    process.standardError = errors
    try process.run()
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }

  private func register(_ number: Int) -> String {
    let text = try? String(contentsOfFile: "\(folder.path)/\(number)", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
  }

  /// Its clock shows Saturday, 28 February 2026, 21:59:50, with a flag above the seconds.
  private func wittyPi() {
    tool("i2cget", "#!/bin/sh\ncat \"$FOLDER/$4\"\n")
    tool("i2cset", "#!/bin/sh\necho \"$5\" >\"$FOLDER/$4\"\n")
    for (number, value) in [
      58: "0xd0", 59: "0x59", 60: "0x21", 61: "0x28", 62: "0x06", 63: "0x02", 64: "0x26",
    ] {
      folder.write(Array("\(value)\n".utf8), to: "\(number)")
    }
  }

  @Test("Witty Pi 4: counted from what its clock shows, over the end of a month, and read back")
  func witty() throws {
    wittyPi()
    #expect(try run("witty-pi-4", "set", "1772316000", "28800").status == 0)
    #expect((27...30).map(register) == ["0x50", "0x59", "0x05", "0x01"])
    #expect(try run("witty-pi-4", "clear").status == 0)
    #expect((27...30).map(register) == ["0x00", "0x00", "0x00", "0x00"])
  }

  @Test(
    "Witty Pi 4: a register that keeps what it had, one that is silent, and a call that makes no sense are failures"
  )
  func wittyFails() throws {
    wittyPi()
    tool("i2cset", "#!/bin/sh\necho 0x11 >\"$FOLDER/$4\"\n")
    let kept = try run("witty-pi-4", "set", "1772316000", "28800")
    #expect(
      kept.status == 1 && kept.errors == "witty-pi-4: register 30 reads otherwise than it was written\n")
    tool("i2cget", "#!/bin/sh\nexit 1\n")
    #expect(try run("witty-pi-4", "set", "1772316000", "28800").status != 0)
    for words in [["set"], ["set", "1"], ["on", "1", "2"]] {
      #expect(try run("witty-pi-4", words[0], words.count > 1 ? words[1] : "").status == 1)
    }
  }

  private func pijuice(_ more: String = "") {
    folder.write(
      Array(
        """
        class RTC:
            alarm, enabled = {}, False
            def GetTime(self):
                now = {"year": 2026, "month": 2, "day": 28, "hour": 21, "minute": 59, "second": 50}
                return {"error": "NO_ERROR", "data": now}
            def SetAlarm(self, alarm):
                self.alarm = alarm
                open(__file__ + ".alarm", "w").write(str(sorted(alarm.items())))
                return {"error": "NO_ERROR"}
            def GetAlarm(self):
                return {"error": "NO_ERROR", "data": self.alarm}
            def SetWakeupEnabled(self, status):
                self.enabled = status
                open(__file__ + ".enabled", "w").write(str(status))
                return {"error": "NO_ERROR"}
            def GetControlStatus(self):
                return {"error": "NO_ERROR", "data": {"alarm_wakeup_enabled": self.enabled}}
        \(more)
        class PiJuice:
            def __init__(self, bus, address):
                assert (bus, address) == (1, 0x14)
                self.rtcAlarm = RTC()

        """.utf8), to: "pijuice.py")
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
  }

  @Test("PiJuice: counted from what its clock shows, enabled, and read back")
  func juice() throws {
    pijuice()
    let done = try run("pijuice", "set", "1772316000", "28800")
    #expect(done.status == 0, "\(done.errors)")
    #expect(try text("pijuice.py.alarm") == "[('day', 1), ('hour', 5), ('minute', 59), ('second', 50)]")
    #expect(try text("pijuice.py.enabled") == "True")
    #expect(try run("pijuice", "clear").status == 0)
    #expect(try text("pijuice.py.enabled") == "False")
  }

  @Test("PiJuice: an error in words, and an alarm that reads otherwise, are failures")
  func juiceFails() throws {
    pijuice("    def SetAlarm(self, alarm): return {'error': 'COMMUNICATION_ERROR'}")
    let failed = try run("pijuice", "set", "1772316000", "28800")
    #expect(failed.status == 1 && failed.errors == "pijuice: its alarm: COMMUNICATION_ERROR\n")
    pijuice("    def SetAlarm(self, alarm): return {'error': 'NO_ERROR'}")
    #expect(try run("pijuice", "set", "1772316000", "28800").errors.hasSuffix("otherwise than it was set\n"))
  }

  @Test(
    "Sleepy Pi 2: whole hours, never later; minutes below an hour",
    arguments: [("39500", "10 0"), ("3600", "1 0"), ("3599", "0 59"), ("1800", "0 30")])
  func sleepy(seconds: String, told: String) throws {
    tool("i2cset", "#!/bin/sh\necho \"$@\" >\"$FOLDER/told\"\n")
    #expect(try run("sleepy-pi-2", "set", "1772316000", seconds).status == 0)
    #expect(try text("told") == "-y 1 4 \(told) i\n")
    tool("i2cset", "#!/bin/sh\nexit 1\n")
    #expect(try run("sleepy-pi-2", "set", "1772316000", seconds).status == 1)
    #expect(try run("sleepy-pi-2", "clear").status == 0)
  }
}
