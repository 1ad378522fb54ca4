import Foundation
import HTTPTypes
import Hummingbird
import Testing

@testable import Collector

@Suite("Compressed bodies")
struct GzipTests {
  @Test("a gzip body is stored as the plain one would be, and distinguished by nothing")
  func gzip() async throws {
    try await withCollector { client, store in
      let text = body((1...50).map { record(uuid($0)) })
      let packed = try gzipped(Data(text.utf8))
      #expect(packed.count < text.utf8.count / 5)
      #expect(try await post(packed, client).status == .ok)
      #expect(try await store.devices().map(\.records) == [50])
      #expect(try await client.post(text).text.contains("\"duplicates\":50"))
    }
  }

  @Test("every answer to an upload announces gzip, and no other does")
  func announced() async throws {
    try await withCollector { client, _ in
      let taken = try await client.post(body([]))
      let refused = try await client.post("no JSON")
      let health = try await client.get("/v1/health")
      #expect(taken.headers[.acceptEncoding] == "gzip")
      #expect(refused.headers[.acceptEncoding] == "gzip")
      #expect(health.headers[.acceptEncoding] == nil)
    }
  }

  @Test("what is not gzip, cut off or longer than one member is refused")
  func damaged() async throws {
    try await withCollector { client, store in
      let packed = try gzipped(Data(body([record(uuid(1))]).utf8))
      let bodies = [Data(), Data("plain".utf8), packed.dropLast(9), packed + packed, packed.dropFirst()]
      for bytes in bodies {
        let answer = try await post(bytes, client)
        #expect(answer.status == .badRequest)
        #expect(String(buffer: answer.body).contains("is not the gzip that Content-Encoding says it is"))
      }
      #expect(try await store.devices().isEmpty)
    }
  }

  @Test("a small body that unpacks to more than 8 MiB is too large")
  func bomb() async throws {
    try await withCollector { client, _ in
      let packed = try gzipped(Data(repeating: UInt8(ascii: " "), count: 9 << 20))
      #expect(packed.count < 20_000)
      #expect(try await post(packed, client).status == .contentTooLarge)
    }
  }

  private func post(_ bytes: Data, _ client: TestClient) async throws -> TestResponse {
    var headers = HTTPFields()
    headers[.contentType] = "application/json"
    headers[.contentEncoding] = "gzip"
    headers[HTTPField.Name("Godwit-Device")!] = "van-7"
    return try await client.execute(
      uri: "/v1/locations", method: .post, headers: headers, body: ByteBuffer(bytes: bytes))
  }

  func gzipped(_ data: Data) throws -> Data {
    try withTemporaryFile(data) { path in
      let process = Process()
      let pipe = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["gzip", "-c", path]
      process.standardOutput = pipe
      try process.run()
      let packed = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return packed
    }
  }

  private func withTemporaryFile(_ data: Data, _ body: (String) throws -> Data) throws -> Data {
    let file = FileManager.default.temporaryDirectory.appending(path: "collector-\(UUID().uuidString)")
    try data.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try body(file.path)
  }
}
