import Testing
import TrackerIO
import TrackerReplay

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

  @Test("chance from a seed is SplitMix64's")
  func splitMix() {
    var chance = SeededRandom(seed: 1_234_567)
    let draws = (0..<3).map { _ in chance.next() }
    #expect(draws == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }
}
