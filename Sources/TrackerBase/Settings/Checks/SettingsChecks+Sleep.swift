/// What `[host.sleep]` demands.
extension SettingsReader {
  mutating func checkSleep() {
    let sleep = settings.host.sleep
    checkProgram("host.sleep.command", sleep.command)
    switch sleep.mode {
    case .command:
      if sleep.command.isEmpty {
        refuse(
          "host.sleep.command", or: place(of: "host.sleep.mode"),
          "must name the program that sets the alarm, since host.sleep.mode is \"command\"")
      }
      if sleep.state == .mem {
        refuse(
          "host.sleep.state", "must be \"poweroff\" with host.sleep.mode \"command\": a HAT cuts the supply")
      }
    case .off, .rtc:
      if !sleep.command.isEmpty {
        refuse("host.sleep.command", "is for host.sleep.mode \"command\": set that, or remove it")
      }
    }
    let isName =
      !sleep.rtc.isEmpty && sleep.rtc.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") }
    if !isName || sleep.rtc.hasPrefix(".") {
      refuse("host.sleep.rtc", "must be a name as `ls /sys/class/rtc` shows it, such as rtc0")
    }
    if sleep.wakeEvery_s > 0 {
      checkOrder(
        of: "host.sleep.min_s", sleep.min_s, upTo: "host.sleep.wake_every_s", sleep.wakeEvery_s)
    }
  }
}

extension Settings {
  /// What keeps the board awake for ever, or puts it to sleep while it is used, in words.
  var sleepNotes: [String] {
    guard host.sleep.isOn else { return [] }
    var notes: [String] = []
    if schedule.isEmpty, !host.sleep.wire {
      notes.append(
        "the board never sleeps: without a schedule no window closes, and host.sleep.wire is false")
    } else if schedule.isEmpty, host.sleep.wakeEvery_s == 0 {
      notes.append(
        "the board never sleeps: without a schedule there is no time to wake at: set host.sleep.wake_every_s")
    }
    if host.sleep.wire, !ignition.input.exists {
      notes.append(
        "host.sleep.wire without [ignition]: the agent does not see the wire that starts the board, and lets it sleep again while the engine runs"
      )
    }
    let splay_s = servers.map(\.sync.splay_s).max() ?? 0
    if host.sleep.drain_s > 0, splay_s > host.sleep.drain_s {
      notes.append(
        "sync.splay_s is longer than host.sleep.drain_s: the board may sleep before it has sent what a window brought"
      )
    }
    return notes
  }
}
