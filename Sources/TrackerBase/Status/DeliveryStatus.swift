/// One server, and how it takes records.
public struct DeliveryStatus: StatusGroup {
  public enum State: String, FigureChoice {
    case idle, splaying, pacing, sending
    case backingOff = "backing_off"
  }

  @Figure("state", "What the sync does; pacing is a backlog after a long failure (docs/sync.md).")
  public var state = State.idle
  @Figure("failures", .gauge, "Requests in a row that delivered nothing.")
  public var failures = 0
  @Figure("next_attempt_s", .gauge, "Time until the next attempt; absent while none is due.")
  public var nextAttempt_s: Int64? = nil
  @Figure(
    "last_reply",
    """
    HTTP status, over MQTT the one that means the same (docs/sync.md#mqtt), or cause (docs/transport.md#causes).
    """)
  public var lastReply = ""
  @Figure(
    "mqtt_version", absent: .auto,
    """
    What the broker speaks; absent over HTTP, and while none has answered. Of 3.1.1 nobody knows whether anyone \
    subscribes.
    """)
  public var mqttVersion = SyncSettings.MQTTVersion.auto
  @Figure(
    "acknowledged_by",
    """
    What the last records counted as delivered by: ids (the server named them), text (sync.accept), answer (as \
    servers of the format answer), broker (PUBACK). certificate and any: believed because of the server's \
    certificate, or of sync.ack any; the server named none. Absent before the first.
    """)
  public var acknowledgedBy: UploadReply.Proof? = nil
  @Figure("problem", "Why the last request delivered nothing (docs/sync.md); absent if it did.")
  public var problem: UploadReply.Problem? = nil
  @Figure("problem_for_s", .gauge, "For how long that has been so; absent without a problem.")
  public var problem_s: Int64? = nil
  @Figure(
    "last_delivery_ago_s", .gauge,
    "Time since the server last took a request, of records or of the status alone; absent before the first time."
  )
  public var lastDelivery_s: Int64? = nil
  @Figure(
    "interface", absent: "", "Network interface over which the last request went; absent before the first.")
  public var interface = ""
  @Figure("requests", .counter, "Requests that have ended.")
  public var requests = 0
  @Figure("delivered", .counter, "Records that the server has confirmed.")
  public var delivered = 0
  @Figure(
    "replies_cut", .counter, absent: 0,
    "Replies longer than max_reply_kb whose acknowledgement counted; settings and commands in them are lost.")
  public var repliesCut = 0
  @Figure("bytes_up", .counter, "Bytes sent to the server.")
  public var bytesUp: Int64 = 0
  @Figure("bytes_down", .counter, "Bytes received from the server.")
  public var bytesDown: Int64 = 0
  @Figure(
    "today_up_bytes", .gauge, absent: 0,
    "Bytes sent to this server since the day (UTC) began; absent before any. It outlives restarts, as the next three do."
  )
  public var todayUp_bytes: Int64 = 0
  @Figure("today_down_bytes", .gauge, absent: 0, "Bytes received from it since then; absent before any.")
  public var todayDown_bytes: Int64 = 0
  @Figure(
    "month_up_bytes", .gauge, absent: 0,
    "Bytes sent to this server since the month (UTC) began; absent before any.")
  public var monthUp_bytes: Int64 = 0
  @Figure("month_down_bytes", .gauge, absent: 0, "Bytes received from it since then; absent before any.")
  public var monthDown_bytes: Int64 = 0
  @FigureGroup(
    "budget", "What of the byte budget is used up; absent where none is set.")
  public var budget: BudgetStatus? = nil
  @FigureGroup(
    "roaming_budget", "What of the budget of sync.roaming is used up; absent where none is set.")
  public var roamingBudget: BudgetStatus? = nil

  public init() {}
}

/// `queue.records` and `sync` of another server than the first.
public struct OtherServerStatus: StatusGroup {
  @Figure("name", "The name of its settings file.")
  public var name = ""
  @Figure("records", .gauge, metric: "queue_records", "Records that wait for it.")
  public var queued = 0
  @Figure(
    "oldest_ago_s", .gauge, metric: "queue_oldest_ago_s", "Age of the oldest of these; absent without any.")
  public var oldest_s: Int64? = nil
  @Figure(
    "quarantined", .gauge, metric: "queue_quarantined",
    "Records in its quarantine; absent while its queue cannot be read.")
  public var quarantined: Int? = nil
  @FigureGroup("sync", "As sync, without budget.")
  public var sync = DeliveryStatus()

  public init() {}

  public init(name: String, queued: Int, sync: DeliveryStatus) {
    (self.name, self.queued, self.sync) = (name, queued, sync)
  }
}

extension UploadReply.Problem: FigureWord {
  public static var figureType: FigureType { .name }
  public var figureContent: JSONValue? { .string(name) }
}
