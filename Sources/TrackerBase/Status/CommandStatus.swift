/// Commands of the server (docs/remote.md#commands).
public struct CommandStatus: StatusGroup {
  @Figure("done", .counter, "Commands that were done.")
  public var done = 0
  @Figure("refused", .counter, "Commands that were refused: unknown, malformed, or not allowed now.")
  public var refused = 0
  @Figure("failed", .counter, "Commands that could not be done.")
  public var failed = 0
  @Figure("expired", .counter, "Commands that came after their time.")
  public var expired = 0
  @Figure("repeated", .counter, "Commands that were offered again, and were known by their id.")
  public var repeated = 0
  @Figure(
    "passed_over", .counter,
    "Commands that were not looked at: too many, or in a reply that may not bring any.")
  public var passedOver = 0
  @Figure(
    "topic_today_bytes", .gauge, absent: 0,
    "Bytes that the broker has brought on the topic of commands since the day (UTC) began.")
  public var topicToday_bytes: Int64 = 0
  @Figure(
    "topic_cut_off", .counter, absent: 0,
    "Requests at which the broker wanted to bring more there than it may: what it held was given up.")
  public var topicCutOff = 0
  @Figure(
    "topic_rests", absent: false,
    "Nothing is taken from that topic until the next day: as much as may come in a day has come.")
  public var topicRests = false
  @FigureGroup(
    "results", .list(label: ""), "What the server does not know yet, and the newest; no metrics.")
  public var results: [CommandResultStatus] = []

  public init() {}
}

public struct CommandResultStatus: StatusGroup {
  @Figure("id", "The command's id.")
  public var id = ""
  @Figure("command", "The command's name; unknown for one that this version does not know.")
  public var command = ""
  @Figure("result", "running: not ended yet.")
  public var result = CommandOutcome.running
  @Figure(
    "why", absent: "",
    "Why it was refused or failed, or what came of it; absent where there is nothing to say.")
  public var why = ""
  @Figure("at", .time, "When it ended, or began.")
  public var at_ms: Int64 = 0
  @Figure(
    "report", absent: [],
    "The last lines of the agent's log, oldest first; absent but for the newest report that the server does not have."
  )
  public var report: [String] = []

  public init() {}
}
