import Testing

@testable import TrackerWire

@Suite("Asking for a token")
struct EnrolmentDocumentTests {
  private let request = EnrolmentRequest(
    url: "https://fleet.test/v1/enrol", code: "ABCD-1", nonce: "0123456789abcdef", device: "box \"7\"")

  private func reply(_ status: Int, _ body: String) -> EnrolmentReply {
    EnrolmentReply(status: status, body: Array(body.utf8), to: request)
  }

  @Test("the request is JSON without the URL, and comes back as it was kept")
  func request_() {
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"code":"ABCD-1","device":"box \"7\"","nonce":"0123456789abcdef"}"#)
    #expect(EnrolmentRequest(saved: request.saved) == request)
    for broken in ["", "{}", String(request.saved.dropLast(5))] {
      #expect(EnrolmentRequest(saved: broken) == nil)
    }
  }

  @Test("a device and a token are an enrolment, and more beside them does not matter")
  func enrolled() {
    #expect(
      reply(200, #"{"device":"van-7","token":"gwt_0123456789abcdef","more":1}"#)
        == .enrolled(device: "van-7", token: "gwt_0123456789abcdef"))
  }

  @Test(
    "anything else with 200, such as a portal's page, is asked about again",
    arguments: [
      "", "<html>", "{}", #"{"device":"","token":"gwt_0123456789abcdef"}"#,
      #"{"device":"van-7","token":"short"}"#,
      #"{"device":"van-7","token":"gwt_0123456789 abcdef"}"#, #"{"device":7,"token":"gwt_0123456789abcdef"}"#,
    ])
  func none(_ body: String) {
    #expect(reply(200, body) == .later(status: 200, words: "its reply is none to an enrolment"))
  }

  @Test("what the server says of a refusal is passed on without code and nonce")
  func refused() {
    for status in [400, 403, 409, 422] {
      #expect(
        reply(status, #"{"error":"the code was used"}"#)
          == .refused(status: status, words: "the code was used"))
    }
    guard case .refused(403, let words) = reply(403, #"{"error":"ABCD-1 and 0123456789abcdef are no good"}"#)
    else {
      Issue.record("not refused")
      return
    }
    #expect(!words.contains("ABCD-1") && !words.contains("0123456789abcdef"))
  }

  @Test(
    "a server that is busy, not well or another one is asked again",
    arguments: [401, 404, 408, 429, 500, 503])
  func later(_ status: Int) {
    #expect(reply(status, #"{"error":"try again"}"#) == .later(status: status, words: "try again"))
  }
}
