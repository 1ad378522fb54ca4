/// The board and its system. The process fills it in; what the board does not tell is absent.
public struct HostStatus: StatusGroup {
  @Figure(
    "temperature_c", .signedGauge, decimals: 1,
    "The hottest of the kernel's thermal zones, in degrees Celsius.")
  public var temperature_c: Double? = nil
  @Figure("throttled", "The board is slower than it could be, by heat or supply (Raspberry Pi).")
  public var isThrottled: Bool? = nil
  @Figure("throttled_since_boot", "That was so at some time since the board started.")
  public var wasThrottled: Bool? = nil
  @Figure("undervoltage_since_boot", "The supply was too low at some time since then (Raspberry Pi).")
  public var hadUndervoltage: Bool? = nil
  @Figure("disk_free_bytes", .gauge, "What the agent may still write to the file system of the queue.")
  public var diskFree_bytes: Int64? = nil
  @Figure(
    "card_life_used", .percent,
    "Of the card's life, by its own estimate in steps of ten; absent where the card does not tell.")
  public var cardLifeUsed_percent: Int? = nil
  @Figure(
    "card_spare",
    "What is left of the card's spare blocks, by its own word; absent where it does not tell.")
  public var cardSpare: CardSpare? = nil
  @Figure("rtc", "The board has a clock that runs while it is off.")
  public var hasRTC: Bool? = nil
  @Figure(
    "rtc_set_clock", "The system clock was set by it when the board started; absent without such a clock.")
  public var rtcSetClock: Bool? = nil
  @Figure(
    "rtc_offset_s", .signedGauge,
    "It is ahead of the system clock by so much, to the second; absent without such a clock.")
  public var rtcOffset_s: Int64? = nil
  @Figure(
    "clock_error_s", .gauge,
    "Most that the system clock can be wrong by, as the kernel says; absent while nobody keeps it right.")
  public var clockError_s: Double? = nil

  public init() {}
}

/// JEDEC JESD84-B51, PRE_EOL_INFO: 80 % and 90 % of the spare blocks are used.
public enum CardSpare: String, FigureChoice {
  case normal, warning, urgent
}
