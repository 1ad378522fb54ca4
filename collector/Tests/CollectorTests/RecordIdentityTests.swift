import Foundation
import Testing

@testable import Collector

@Suite("Record identity")
struct RecordIdentityTests {
  @Test(
    "a version 8 uuid gives back the queue id and the sequence that it was made of",
    arguments: [
      (queue: UInt64(0), sequence: UInt64(0)),
      (queue: 0xabc_def0_1234_5678, sequence: 1),
      (queue: 0xfff_ffff_ffff_ffff, sequence: 0x3fff_ffff_ffff_ffff),
      (queue: 0x000_0000_0000_0fff, sequence: 0x0000_0000_ffff_ffff),
    ])
  func version8(queue: UInt64, sequence: UInt64) throws {
    let id = try #require(UUID(uuidString: uuid(queue: queue, sequence)))
    #expect(RecordIdentity(id) == .sequenced(queueID: Int64(queue), sequence: Int64(sequence)))
  }

  @Test("the bits stand where RFC 9562 leaves room for them")
  func layout() throws {
    let id = try #require(UUID(uuidString: "01234567-89ab-8cde-8000-0000000004d2"))
    #expect(RecordIdentity(id) == .sequenced(queueID: 0x0123_4567_89ab_cde, sequence: 1234))
  }

  @Test(
    "any other uuid stands for itself",
    arguments: [
      "3d813cbb-47fb-42ba-91df-831e1593ac29", "01890a5d-ac96-774b-bcce-b302099a8057",
      "01234567-89ab-8cde-c000-000000000001", "00000000-0000-0000-0000-000000000000",
    ])
  func others(text: String) throws {
    #expect(RecordIdentity(try #require(UUID(uuidString: text))) == .uuid)
  }
}
