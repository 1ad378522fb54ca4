import Testing
import TrackerIO

@testable import godwit

@Suite("Chance")
struct ChanceTests {
  private func host() throws -> Host { try Host(queuePath: "/nowhere/queue.db", log: Log(level: .error)) }

  @Test("chance lies in 0 ..< 1 and changes")
  func random() throws {
    let (one, other) = (try host(), try host())
    let draws = (0..<1000).map { _ in one.chance() }
    #expect(draws.allSatisfy { (0..<1).contains($0) })
    #expect(Set(draws).count > 990)
    let next = (one.chance(), other.chance())
    #expect(next.0 != next.1, "two devices draw the same")
  }
}
