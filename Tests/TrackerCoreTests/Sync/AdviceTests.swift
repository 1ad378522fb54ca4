import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("What to look at when a reply does not count")
struct AdviceTests {
  private func advice(
    _ status: Int, _ message: String = "", isMQTT: Bool, rule: SyncSettings.Acknowledgement = .auto
  ) -> String {
    var reply = UploadReply(status: status, message: message, sent: [1])
    reply.isMQTT = isMQTT
    return reply.advice(rule)
  }

  @Test("over MQTT the words of MQTT alone, which name its own settings", arguments: [401, 302, 200])
  func mqtt(status: Int) {
    #expect(advice(status, "CONNACK: …; look at the user in sync.url", isMQTT: true, rule: .strict) == "")
  }

  @Test("over HTTP what proves who we are there")
  func http() {
    #expect(
      advice(401, "no such token", isMQTT: false)
        == "the server does not take who we say we are: look at sync.token_file, sync.password_file or [sync.header_files]"
    )
    #expect(advice(302, isMQTT: false).contains("redirects are not followed"))
  }

  @Test("a refusal of records that were not sent is the answer to something else")
  func refusesOthers() {
    var reply = UploadReply(status: 409, sent: [1])
    reply.refusesOthers = true
    #expect(
      reply.advice(.auto)
        == "the reply refuses records by name, and none that were sent: is it the answer to another request?")
  }

  @Test("what a consumer says over MQTT and names none of the records is reported as over HTTP")
  func consumer() {
    var reply = UploadReply(status: 200, sent: [1], echoed: [])
    reply.isMQTT = true
    #expect(reply.advice(.strict).contains("names none of our records as stored"))
  }
}
