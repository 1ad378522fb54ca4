import Testing
import TrackerBase

extension SettingsWordingTests {
  @Test("a board that is to sleep without what wakes it")
  func sleep() {
    expect(
      "[host.sleep]\nmode = \"command\"",
      "godwit.toml:2: host.sleep.command: must name the program that sets the alarm, since host.sleep.mode is \"command\""
    )
    expect(
      "[host.sleep]\nmode = \"command\"\ncommand = [\"hat-alarm\"]",
      "godwit.toml:3: host.sleep.command: must begin with the program's whole path, such as /usr/local/bin/…")
    expect(
      "[host.sleep]\nmode = \"command\"\ncommand = [\"/bin/true\"]\nstate = \"mem\"",
      "godwit.toml:4: host.sleep.state: must be \"poweroff\" with host.sleep.mode \"command\": a HAT cuts the supply"
    )
    expect(
      "[host.sleep]\nmode = \"rtc\"\ncommand = [\"/bin/true\"]",
      "godwit.toml:3: host.sleep.command: is for host.sleep.mode \"command\": set that, or remove it")
    expect(
      "[host.sleep]\nrtc = \"../rtc0\"",
      "godwit.toml:2: host.sleep.rtc: must be a name as `ls /sys/class/rtc` shows it, such as rtc0")
    expect(
      "[host.sleep]\nmode = \"rtc\"\nwake_every_s = 600",
      "godwit.toml:3: host.sleep.wake_every_s: host.sleep.wake_every_s (600 s) must be at least host.sleep.min_s (1800 s, the default)"
    )
    expect("[host.sleep]\nmode = \"rtc\"\nwake_every_s = 3600")
  }

  @Test("a board that would never sleep, or sleep in use, is noted")
  func sleepNotes() {
    func notes(_ change: (inout Settings) -> Void) -> [String] {
      var settings = Settings()
      settings.host.sleep.mode = .rtc
      change(&settings)
      return settings.notes.filter { $0.contains("sleep") }
    }
    #expect(
      notes { _ in } == [
        "the board never sleeps: without a schedule no window closes, and host.sleep.wire is false"
      ])
    let unseen =
      "host.sleep.wire without [ignition]: the agent does not see the wire that starts the board, and lets it sleep again while the engine runs"
    #expect(
      notes { $0.host.sleep.wire = true } == [
        "the board never sleeps: without a schedule there is no time to wake at: set host.sleep.wake_every_s",
        unseen,
      ])
    #expect(notes { ($0.host.sleep.wire, $0.host.sleep.wakeEvery_s) = (true, 7200) } == [unseen])
    #expect(notes { ($0.schedule, $0.host.sleep.mode) = (["mon 06:00-08:00"], .rtc) } == [])
    let unsent =
      "sync.splay_s is longer than host.sleep.drain_s: the board may sleep before it has sent what a window brought"
    #expect(notes { ($0.schedule, $0.sync.splay_s) = (["mon 06:00-08:00"], 120) } == [])
    #expect(notes { ($0.schedule, $0.sync.splay_s) = (["mon 06:00-08:00"], 121) } == [unsent])
  }
}
