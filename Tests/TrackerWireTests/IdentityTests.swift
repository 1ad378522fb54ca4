import Testing
import TrackerWire

@Suite("The uuid of a record")
struct UUIDv8Tests {
  @Test(
    "queue id and sequence fill the free bits, high bits first",
    arguments: [
      (0, 0, "00000000-0000-8000-8000-000000000000"),
      (0, 1, "00000000-0000-8000-8000-000000000001"),
      (0x012_3456_789A_BCDE, 255, "01234567-89ab-8cde-8000-0000000000ff"),
      (0xFFF_FFFF_FFFF_FFFF, 0x3FFF_FFFF_FFFF_FFFF, "ffffffff-ffff-8fff-bfff-ffffffffffff"),
    ] as [(UInt64, Int64, String)])
  func layout(queueID: UInt64, sequence: Int64, text: String) {
    #expect(UUIDv8.text(queueID: queueID, sequence: sequence) == text)
  }

  @Test("bits beyond the 60 and the 62 change neither version nor variant")
  func overflow() {
    #expect(UUIDv8.text(queueID: .max, sequence: -1) == "ffffffff-ffff-8fff-bfff-ffffffffffff")
  }
}

@Suite("Time as text")
struct ISO8601Tests {
  @Test(
    "milliseconds always, UTC, leap days and century rules kept",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (1_767_225_600_000, "2026-01-01T00:00:00.000Z"),
      (951_782_400_007, "2000-02-29T00:00:00.007Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func text(ms: Int64, text: String) { #expect(ISO8601.text(ms: ms) == text) }

  @Test("what four digits cannot say is clamped, not trapped on")
  func clamped() {
    #expect(ISO8601.text(ms: .max) == "9999-12-31T23:59:59.999Z")
    #expect(ISO8601.text(ms: .min) == "0000-01-01T00:00:00.000Z")
  }
}
