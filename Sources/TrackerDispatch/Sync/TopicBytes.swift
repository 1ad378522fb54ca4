import TrackerBase

/// What a broker brings on the topic of commands. It alone decides how much it holds, so there is a bound for each request
/// and one for each day; what a request may bring is also what the byte budget leaves.
///
/// A broker that wanted to bring more than a request may have has used up the whole day, and so has one that was still
/// bringing it when one request after the other ended: behind it nobody hears that records have arrived.
struct TopicBytes: Equatable, Sendable {
  /// As many requests may bring all that one may.
  static let requestsADay: Int64 = 4
  /// A few commands, so that a budget which is nearly used up costs none: what it leaves is exceeded by no more.
  static let fewest: Int64 = 16_384

  /// Requests in turn that ended without an answer, and had brought something.
  static let mostInVain = 3

  private var spent: DayAndMonth<Int64>
  private var inVain = 0
  /// With one request; 0: there is no topic.
  let mostARequest: Int64

  init(settings: SyncSettings, saved: DayAndMonth<Int64>?, at now_ms: Int64) {
    mostARequest = settings.commandTopic ? Int64(settings.maxReply_kb) * 1024 : 0
    spent = DayAndMonth(saved, at: now_ms)
  }

  var mostADay: Int64 { TopicBytes.requestsADay * mostARequest }
  var today: Int64 { spent.day.used }
  /// Nothing is asked for until the next day.
  var rests: Bool { mostARequest > 0 && today >= mostADay }

  /// With the next request. - Parameter left: what the byte budget leaves; nil without one.
  func allowed(left: Int64?) -> Int64 {
    if mostARequest == 0 || rests { return 0 }
    return max(min(TopicBytes.fewest, mostARequest), min(mostARequest, mostADay - today, left ?? .max))
  }

  mutating func turn(trusted_ms: Int64?, at now_ms: Int64) { spent.turn(trusted_ms: trusted_ms, at: now_ms) }

  /// - Returns: what operators should know.
  mutating func spend(_ reply: UploadReply) -> String? {
    if rests { return nil }
    spent.add(max(0, reply.topicBytes))
    inVain = reply.status == 0 && reply.topicBytes > 0 ? inVain + 1 : 0
    let cause = cause(reply)
    guard let cause else { return nil }
    (inVain, spent.day.used) = (0, max(today, mostADay))
    return
      "the topic of commands rests until the next day, and what the broker holds is given up: \(cause)"
  }

  private func cause(_ reply: UploadReply) -> String? {
    if reply.isTopicCutOff {
      return
        "with one request it wanted to bring more than \(mostARequest / 1024) kB, or than the byte budget leaves"
    }
    if inVain >= TopicBytes.mostInVain {
      return "it was still bringing it when \(inVain) requests in turn ended without an answer"
    }
    return rests ? "it has brought \(today / 1024) kB today" : nil
  }

  /// nil where there is nothing to know.
  var saved: DayAndMonth<Int64>? { today == 0 ? nil : spent }
}
