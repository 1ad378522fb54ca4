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

  @Test(
    "that look like another one, or that no address can hold, are refused with the reason",
    arguments: [
      ("..", "is . or .., which no address can hold"), (".", "is . or .., which no address can hold"),
      ("%2e%2e", "is . or .., which no address can hold"),
      ("van-7%E2%80%8B", "has a character that cannot be seen, U+200B, as number 6"),
      ("van%C2%A07", "has a character that cannot be seen, U+00A0, as number 4"),
      ("van-7%E3%85%A4", "has a character that cannot be seen, U+3164, as number 6"),
      ("%E2%80%AEvan-7", "has a character that cannot be seen, U+202E, as number 1"),
      ("van-7%20", "begins or ends with a space"),
    ])
  func unseen(header: String, fault: String) async throws {
    try await withCollector { client, store in
      let answer = try await client.post(body([record(uuid(1))]), device: header)
      #expect(answer.status == 400)
      #expect(answer.text == #"{"error":"a device's name has 1 to 128 characters: this one \#(fault)"}"#)
      #expect(try await store.devices().isEmpty)
    }
  }

  @Test(
    "with joined letters and pictures are names",
    arguments: ["\u{6a9}\u{200c}\u{6cc}", "\u{2764}\u{fe0f}", "...", "a..b"])
  func joined(name: String) {
    #expect(NameRule.fault(in: name, longest: 128) == nil)
  }

  @Test("in two headers are none, for they may differ")
  func twice() async throws {
    try await withCollector { client, store in
      let line = try Line(port: client.port)
      try line.send(
        "POST /v1/locations HTTP/1.1\r\nHost: localhost\r\nGodwit-Device: van-7\r\nGodwit-Device: van-8\r\n"
          + "Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"location\":[]}")
      let answer = try await line.read(until: "}")
      #expect(answer.hasPrefix("HTTP/1.1 400"))
      #expect(answer.contains("the request names 2 devices: send the header Godwit-Device once"))
      #expect(try await store.devices().isEmpty)
    }
  }

  @Test("are in the name of an exported file, as they are and as every client can read them")
  func file() {
    #expect(
      Routes.attachment("Müller Kran.gpx")
        == "attachment; filename=\"M_ller_Kran.gpx\"; filename*=UTF-8''M%C3%BCller%20Kran.gpx")
    #expect(Routes.attachment("a\"b\n.csv").contains("filename=\"a_b_.csv\"; filename*=UTF-8''a%22b%0A.csv"))
  }
}
