import Glibc
import Testing
import TrackerBase
import TrackerIO

@testable import godwit

@Suite("auth_command")
struct TokenCommandTests {
  private func end(_ command: [String], timeout_s: Double = 20) -> [Event] {
    let token = TokenCommand(command, timeout_s: timeout_s)
    if let event = token.renew() { return [event] }
    while true {
      let ready = Poller.wait(token.descriptors, timeout_ms: 300_000)
      let events = token.receive(ready: ready)
      if !events.isEmpty || ready.isEmpty { return events }
    }
  }

  @Test("exit status 0: there is a new token")
  func success() { #expect(end(["/bin/sh", "-c", "exit 0"]) == [.tokenCommandEnded(problem: nil)]) }

  @Test("anything else is reported without arguments and output")
  func failures() {
    #expect(
      end(["/bin/sh", "-c", "echo secret; echo secret >&2; exit 3"])
        == [.tokenCommandEnded(problem: "/bin/sh ended with exit status 3")])
    #expect(
      end(["/bin/sh", "-c", "kill -9 $$"])
        == [.tokenCommandEnded(problem: "/bin/sh was ended by signal 9")])
    let missing = end(["/nowhere/at-all"])
    #expect(
      missing == [
        .tokenCommandEnded(
          problem:
            "/nowhere/at-all could not be started: \(HostError.callFailed("posix_spawn", code: ENOENT))")
      ])
  }

  @Test(
    "a command that does not end is killed when its time is up, with its children, and the loop did not wait")
  func tooLong() throws {
    let began_ms = HostClock.now().boot_ms
    #expect(
      end(["/bin/sh", "-c", "sleep 1000 & sleep 1000"], timeout_s: 0.1)
        == [.tokenCommandEnded(problem: "/bin/sh took longer than 0 s and was killed")])
    #expect(HostClock.now().boot_ms - began_ms < 300_000)
  }

  @Test("it finds a path and a language in its environment and nothing else, and talks to nobody")
  func clean() throws {
    setenv("GODWIT_TEST_SECRET", "x", 1)
    let script = """
      test -z "$GODWIT_TEST_SECRET" && test -n "$PATH" && test -z "$HOME" || exit 4
      for end in 0 1 2; do test /proc/$$/fd/$end -ef /dev/null || exit 5; done
      """
    let events = end(["/bin/sh", "-c", script])
    #expect(events == [.tokenCommandEnded(problem: nil)])
  }

  @Test("one at a time, and nothing without a command")
  func oneAtATime() {
    let token = TokenCommand(["/bin/sh", "-c", "sleep 100"])
    #expect(token.renew() == nil && token.descriptors.count == 2)
    let before = token.descriptors
    #expect(token.renew() == nil && token.descriptors == before)
    #expect(TokenCommand([]).renew() == nil)
    #expect(token.receive(ready: []) == [])
  }
}
