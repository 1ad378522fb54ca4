/// What went over the links, with all servers together.
public struct TrafficStatus: StatusGroup {
  @Figure(
    "today_up_bytes", .gauge, label: "cause", absent: [:],
    """
    Bytes sent since the day (UTC) began, by what the requests brought; connecting: TLS handshakes; failed: requests \
    that brought nothing.
    """)
  public var todayUp_bytes: [ByteCause: Int64] = [:]
  @Figure("today_down_bytes", .gauge, label: "cause", absent: [:], "Bytes received since then.")
  public var todayDown_bytes: [ByteCause: Int64] = [:]
  @Figure("month_up_bytes", .gauge, label: "cause", absent: [:], "Bytes sent since the month (UTC) began.")
  public var monthUp_bytes: [ByteCause: Int64] = [:]
  @Figure("month_down_bytes", .gauge, label: "cause", absent: [:], "Bytes received since then.")
  public var monthDown_bytes: [ByteCause: Int64] = [:]

  public init() {}
}
