import Testing

@testable import godwit

@Suite("What godwit status makes of an answer")
struct StatusAnswerTests {
  @Test(
    "no answer is no status in any form, and is said to be none",
    arguments: [nil, .json, .metrics, .prometheus] as [Status.Form?])
  func empty(form: Status.Form?) {
    #expect(Status.shown("", as: form) == nil)
    #expect(
      Status.complaint(of: "")
        == "godwit: the agent ended while it was asked; journalctl -u godwit says why\n")
    #expect(Status.complaint(of: "words") == Status.noDocument)
  }
}
