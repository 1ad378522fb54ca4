import Glibc
import Testing
import TrackerBase

@testable import TrackerIO
@testable import godwit

@Suite("What outlives the process")
struct RunStateFileTests {
  let folder = QueueFolder()

  private func file() -> RunStateFile { RunStateFile(queuePath: folder.queue) }

  @Test("a wish that is saved without an agent is there at its next start")
  func saved() throws {
    try file().ask(.pause(length_ms: nil))
    let next = file()
    next.runBegan()
    #expect(next.runState.override == .paused && next.problem == nil)
    #expect(folder.files == ["queue.db.state", "queue.db.state.next"])
    try file().ask(.resume)
    #expect(file().runState.override == nil)
  }

  @Test("a run without an end is a crash for the next one, a start that fails with a reason is none")
  func runs() {
    func startThatFails() {
      let run = file()
      run.runBegan()
      run.startFailed()
    }
    for _ in 0..<7 { startThatFails() }
    #expect(file().runState.crashes.crashes == 0)
    for run in 0..<7 {
      let file = file()
      file.runBegan()
      #expect((file.runState.override == .safeMode) == (run >= 5))
      startThatFails()
      startThatFails()
    }
  }

  @Test("a file that is none is reported with its name, and counts for nothing")
  func rubbish() throws {
    folder.write(Array("\u{0}\u{1}rubbish".utf8), to: "queue.db.state")
    let file = file()
    #expect(file.runState.override == nil)
    #expect(
      file.problem == "\(folder.queue).state is damaged, or another program's")
    file.runBegan()
    #expect(self.file().problem == nil)
  }

  @Test("a place that cannot be written is reported")
  func unwritable() throws {
    mkdir(folder.path + "/queue.db.state", 0o755)
    defer { rmdir(folder.path + "/queue.db.state") }
    let file = file()
    #expect(file.problem?.contains("queue.db.state") == true)
    guard case .runStateNotSaved(let words)? = file.save(.object([])) else {
      Issue.record("saved over a folder")
      return
    }
    #expect(words.hasPrefix("rename \(folder.queue).state: "))
    #expect(folder.files == ["queue.db.state", "queue.db.state.next"])
  }

  @Test("requests on the socket mean what the command meant")
  func requests() {
    let all: [IntentWish] = [
      .pause(length_ms: nil), .pause(length_ms: 7_200_000), .track(length_ms: 1000), .resume,
    ]
    for request in all { #expect(IntentRequest.parse(IntentRequest.line(request)) == request) }
    for line in [
      "", "pause x", "pause 0", "pause -1", "pause 1 2", "track", "resume 1", "pause 99999999999", "status",
    ] {
      #expect(IntentRequest.parse(line) == nil, "\(line)")
    }
  }

  @Test("a pipe in its place holds nobody up, and is replaced")
  func pipe() throws {
    #expect(mkfifo(folder.queue + ".state", 0o600) == 0)
    let found = file()
    #expect(found.problem?.contains(" is a pipe (FIFO) and not a file: ") == true)
    try found.ask(.pause(length_ms: nil))
    #expect(file().runState.override == .paused)
  }
}
