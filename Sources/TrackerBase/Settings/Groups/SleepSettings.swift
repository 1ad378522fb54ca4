/// The board itself.
public struct HostSettings: SettingGroup {
  @Group(
    "sleep",
    """
    Switches the whole board off while there is nothing to do, and has it back in time for the next window; \
    docs/power.md. It needs a clock
    with an alarm that can start it.
    """)
  public var sleep = SleepSettings()
}

/// When the board sleeps, and what wakes it.
public struct SleepSettings: SettingGroup {
  public enum Mode: String, SettingChoice {
    case off, rtc, command
  }

  public enum State: String, SettingChoice {
    case poweroff, mem
  }

  @Setting(
    "mode",
    """
    off: the board stays on. rtc: the alarm of the clock in host.sleep.rtc wakes it. command: a program sets the alarm of
    a HAT. `godwit check` says what is missing on this board.
    """)
  public var mode = Mode.off
  @Setting(
    "state",
    """
    poweroff: off, through logind, and started anew by the alarm. mem: suspended to memory, where the machine can (no
    Raspberry Pi can).
    """)
  public var state = State.poweroff
  @Setting("rtc", "With mode \"rtc\": the clock whose alarm wakes the board, by its name in /sys/class/rtc.")
  public var rtc = "rtc0"
  @Setting(
    "command",
    """
    With mode "command": the program that sets the HAT's alarm, with its arguments. To these are added `set`, the Unix
    time to wake at and the seconds until then; or `clear`. Exit status 0 means that the alarm was read back and is so.
    Then the board goes off as with "rtc". At most 30 s. Such as:
      ["/usr/local/bin/witty-alarm"]
    """)
  public var command: [String] = []
  @Setting(
    "wire",
    """
    true: a wire starts the board when the vehicle is used (the ignition, or a HAT's wake pin). Then it also sleeps inside
    of windows while the vehicle is parked, and nobody looks whether it is towed.
    """)
  public var wire = false
  @Setting(
    "min_s", in: 300...604_800, "Shorter sleeps are not worth a shutdown and a start, which come on top.")
  public var min_s = 1800.0
  @Setting(
    "lead_s", in: 10...1800,
    """
    The board wakes this long before the next window. Once it has been woken, the agent takes instead the \
    time that it last needed from its alarm to the first fix, and a quarter more.
    """)
  public var lead_s = 120.0
  @Setting(
    "drain_s", in: 0...3600,
    """
    Before the board sleeps, the servers have this time to take what waits for them; the rest stays on the \
    card. Must be longer than sync.splay_s.
    """
  )
  public var drain_s = 120.0
  @Setting(
    "min_awake_s", in: 60...86_400,
    """
    The board stays awake for at least this time after each start, so that commands and people can reach \
    it.
    """)
  public var minAwake_s = 300.0
  @Setting("most_per_hour", in: 1...12, "At most this many sleeps within an hour, whatever wakes the board.")
  public var mostPerHour = 4
  @Setting(
    "wake_every_s", in: 0...604_800,
    """
    The board is woken at least this often, for a sign of life and for commands of the server. 0: for the \
    windows alone.
    """)
  public var wakeEvery_s = 0.0

  public var isOn: Bool { mode != .off }
}
