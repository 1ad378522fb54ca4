import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("What the updater says")
struct UpdateStatusTests {
  @Test("state, version, reason and group")
  func whole() {
    let status = UpdateStatus(
      "state=rolled_back\nversion=0.3.0+deb12u1\nreason=it does not answer, a=b\ngroup=canary\n")
    #expect(status?.state == .rolledBack && status?.version == "0.3.0+deb12u1")
    #expect(status?.reason == "it does not answer, a=b" && status?.group == "canary")
  }

  @Test(
    "without a reason, and with keys of a newer updater", arguments: ["", "reason=\n", "later=1\nno mark\n"])
  func short(more: String) {
    let status = UpdateStatus("state=good\nversion=1\ngroup=stable\n" + more)
    #expect(status?.state == .good && status?.reason == nil && status?.group == "stable")
  }

  @Test(
    "what is no such file is nothing",
    arguments: ["", "state=good\n", "version=1\n", "state=better\nversion=1\n", "\n\n=\n"])
  func none(text: String) {
    #expect(UpdateStatus(text) == nil)
  }

  @Test("words are cut, and steer no terminal")
  func hostile() {
    let status = UpdateStatus(
      "state=failed\nversion=1\nreason=\u{1B}[2J" + String(repeating: "x", count: 500))
    #expect(status?.reason?.count == 200 && status?.reason?.contains("\u{1B}") == false)
  }
}
