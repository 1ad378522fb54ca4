public struct ClockSettings: SettingGroup {
  public enum UnknownPolicy: String, SettingChoice {
    case acquire, open, closed
  }

  @Setting(
    "when_clock_unknown",
    "acquire: power the GPS to learn the time. open or closed: treat the schedule as open or closed.")
  public var whenUnknown = UnknownPolicy.acquire
  @Setting(
    "clock_acquire_timeout_s", in: 10...3600,
    "The longest time that the GPS is powered only to learn the time.")
  public var acquireTimeout_s = 300.0
  @Setting(
    "clock_hold_s", in: 0...3600,
    """
    After a start without the time, records wait this long for their true dates before they are sent. \
    Alarms do not wait. After it records are sent with a date that is marked as not trusted.
    """)
  public var hold_s = 120.0
  @Setting(
    "confirm_s", in: 0...900,
    """
    A date that only the receiver gives is believed once it has given it for this time, and for four times \
    this time if the date is far off. Until then fixes wait. 0: any date is believed after 2 s, as for \
    recordings that
    are played.
    """)
  public var confirm_s = 90.0
  @Setting(
    "recheck_s", in: 600...86_400,
    """
    While the schedule is closed by a clock that rests on GPS alone, the GPS is powered after this time to \
    see whether the clock is still right; then after twice this time, and so on up to four times.
    """)
  public var recheck_s = 21_600.0

  public init() {}
}
