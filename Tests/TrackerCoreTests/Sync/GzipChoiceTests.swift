import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Whether bodies are compressed")
struct GzipChoiceTests {
  @Test("auto waits until the server has said that it takes gzip, in a reply that acknowledges")
  func announced() {
    var choice = GzipChoice(setting: .auto, format: .geomony)
    #expect(!choice.isWanted(forBodyOf: 5000))
    #expect(!plain(200, announced: false, &choice))
    #expect(!choice.isWanted(forBodyOf: 5000))
    #expect(!plain(503, announced: true, &choice))
    #expect(!choice.isWanted(forBodyOf: 5000))
    #expect(!plain(200, announced: true, &choice))
    #expect(choice.isWanted(forBodyOf: 5000))
  }

  @Test("always does not wait, never does not try, and a short body is not worth it")
  func settings() {
    let always = GzipChoice(setting: .always, format: .traccar)
    #expect(always.isWanted(forBodyOf: 500))
    #expect(!always.isWanted(forBodyOf: 499))
    var never = GzipChoice(setting: .never, format: .geomony)
    _ = plain(200, announced: true, &never)
    #expect(!never.isWanted(forBodyOf: 5000))
  }

  @Test("the compact format is compressed from the first body on, unless the settings say never")
  func compact() {
    #expect(GzipChoice(setting: .auto, format: .compact).isWanted(forBodyOf: 500))
    #expect(GzipChoice(setting: .always, format: .compact).isWanted(forBodyOf: 500))
    #expect(!GzipChoice(setting: .never, format: .compact).isWanted(forBodyOf: 5000))
  }

  @Test("415 sends the body once more, plain, and no compressed one again", arguments: [false, true])
  func unsupported(isProven: Bool) {
    var choice = GzipChoice(setting: .always, format: .geomony)
    if isProven { #expect(!compressed(200, &choice)) }
    #expect(compressed(415, &choice))
    #expect(!choice.isWanted(forBodyOf: 5000))
    #expect(!plain(200, announced: true, &choice))
    #expect(!choice.isWanted(forBodyOf: 5000))
  }

  @Test("400 was the compression's fault if the same body is then taken plain")
  func badRequest() {
    var choice = GzipChoice(setting: .always, format: .geomony)
    #expect(compressed(400, &choice))
    #expect(!choice.isWanted(forBodyOf: 5000))
    #expect(!plain(200, announced: false, &choice))
    #expect(choice.state == .refused)
  }

  @Test("400 for the plain body too was the records' fault")
  func badRecord() {
    var choice = GzipChoice(setting: .always, format: .geomony)
    #expect(compressed(400, &choice))
    #expect(!plain(400, announced: false, &choice))
    #expect(choice.isWanted(forBodyOf: 5000))
  }

  @Test("once a compressed body was taken, 400 is about the records")
  func provenBadRecord() {
    var choice = GzipChoice(setting: .always, format: .geomony)
    #expect(!compressed(200, &choice))
    #expect(!compressed(400, &choice))
    #expect(choice.isWanted(forBodyOf: 5000))
  }

  @Test("a web page that takes it proves nothing")
  func captivePortal() {
    var choice = GzipChoice(setting: .always, format: .geomony)
    let page = UploadReply(status: 200, contentType: "text/html", sent: [1])
    #expect(choice.replied(page, announced: true, wasCompressed: true) == false)
    #expect(choice.state == .hopeful(drops: 0))
  }

  @Test(
    "a server that hangs up three times in a row is not tried again; time-outs and lost links do not count")
  func dropped() {
    var choice = GzipChoice(setting: .always, format: .geomony)
    for failure in [UploadReply.NoReply.dropped, .dropped, .timeout, .connect, .resolve] {
      #expect(!compressed(0, failure: failure, &choice))
      #expect(choice.isWanted(forBodyOf: 5000))
    }
    #expect(!compressed(0, failure: .dropped, &choice))
    #expect(choice.state == .refused)
    var proven = GzipChoice(setting: .always, format: .geomony)
    _ = compressed(200, &proven)
    for _ in 1...5 { _ = compressed(0, failure: .dropped, &proven) }
    #expect(proven.isWanted(forBodyOf: 5000))
  }

  @Test("a server that asks for time is not asked again at once")
  func retryAfter() {
    var choice = GzipChoice(setting: .always, format: .geomony)
    let reply = UploadReply(status: 415, retryAfter_s: 60, sent: [1])
    #expect(choice.replied(reply, announced: false, wasCompressed: true) == false)
    #expect(choice.state == .refused)
  }

  @Test(
    "what a server says of the codings it takes",
    arguments: [
      ("gzip", true), ("br, GZIP", true), ("gzip;q=0.5", true), ("gzip ; q=0", false),
      ("gzip;q=0.000", false),
      ("identity", false), ("", false), ("xgzip", false), (";;,,", false), ("br;q=1, gzip", true),
    ])
  func header(text: String, isNamed: Bool) {
    #expect(GzipChoice.isNamed(in: text) == isNamed)
  }

  private func compressed(
    _ status: Int, failure: UploadReply.NoReply? = nil, _ choice: inout GzipChoice
  ) -> Bool {
    choice.replied(
      UploadReply(status: status, failure: failure, sent: [1]), announced: false, wasCompressed: true)
  }

  private func plain(_ status: Int, announced: Bool, _ choice: inout GzipChoice) -> Bool {
    choice.replied(UploadReply(status: status, sent: [1]), announced: announced, wasCompressed: false)
  }
}
