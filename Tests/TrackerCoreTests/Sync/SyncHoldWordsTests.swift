import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// What an operator who asks for a sync hears, where none goes now.
@Suite("Why no sync goes now")
struct SyncHoldWordsTests {
  @Test(
    "the last reply is told with its cause, which is said once where there was no reply",
    arguments: [
      (UploadReply(status: 0, failure: .timeout, sent: [1]), "timeout"),
      (UploadReply(status: 503, sent: [1]), "503 (busy)"),
      (UploadReply(status: 500, sent: [1]), "500 (server_error)"),
    ])
  func lastReply(reply: UploadReply, words: String) {
    var dispatch = Dispatch(
      settings: .with(), found: Tracker.Restored().found, lastSequence: 0, isUnread: false,
      idChanges: QueueIDChanges(), at: 0)
    _ = dispatch.queueChanged(to: 1, urgent: true, of: 0, at: 0)
    _ = dispatch.handle(.uploadFinished(reply), Facts(), at: Moment(boot_ms: 100, wall_ms: 100))
    let holds = dispatch.holds(at: 100)
    #expect(!holds.sent && holds.words.count == 1)
    #expect(
      holds.words.first?.hasPrefix("the last reply was \(words), and the next attempt is in ") == true,
      "\(holds.words)")
  }
}
