import Testing

@testable import Collector

@Suite("Device names")
struct DeviceNameTests {
  @Test(
    "arrive as they were meant",
    arguments: [
      ("van-7", "van-7"), ("Van 7", "Van 7"), ("M%C3%BCller%20Bagger 7", "Müller Bagger 7"), ("50%25", "50%"),
      ("50%", "50%"), ("a/b", "a/b"), ("%F0%9F%9A%9C", "\u{1F69C}"),
    ])
  func names(header: String, name: String) async throws {
    try await withCollector { client, store in
      let answer = try await client.post(body([record(uuid(1))]), device: header)
      #expect(answer.status == 200)
      let devices = try await store.devices()
      #expect(devices.map(\.device) == [name])
    }
  }

  @Test("of 128 characters fit, however many bytes these are")
  func long() async throws {
    try await withCollector { client, store in
      let fits = String(repeating: "%F0%9F%9A%9C", count: 128)
      let fitting = try await client.post(body([]), device: fits)
      #expect(fitting.status == 200)
      let devices = try await store.devices()
      #expect(devices.map(\.device.unicodeScalars.count) == [128])
      for bad in [fits + "x", String(repeating: "x", count: 129), "a%0Ab", "a%00"] {
        let answer = try await client.post(body([]), device: bad)
        #expect(answer.status == 400, "\(bad)")
      }
    }
  }
}
