import Testing

@testable import Collector

@Suite("Expect: 100-continue")
struct ContinueTests {
  private func head(_ length_bytes: Int) -> String {
    "POST /v1/locations HTTP/1.1\r\nHost: localhost\r\nGodwit-Device: van-7\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(length_bytes)\r\nExpect: 100-continue\r\n\r\n"
  }

  @Test("is answered before the body comes, on each request of a connection", .timeLimit(.minutes(10)))
  func answered() async throws {
    try await withCollector { client, _ in
      let line = try Line(port: client.port)
      for _ in 0..<2 {
        try line.send(head(15))
        #expect(try await line.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try line.send("{\"location\":[]}")
        #expect(try await line.read(until: "}").hasPrefix("HTTP/1.1 200 OK"))
      }
    }
  }

  @Test("waits for the answer to the request before it", .timeLimit(.minutes(10)))
  func inOrder() async throws {
    try await withCollector { client, _ in
      let line = try Line(port: client.port)
      try line.send("GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n" + head(15))
      let answers = try await line.read(until: "100 Continue\r\n\r\n")
      #expect(answers.hasPrefix("HTTP/1.1 200 OK") && answers.hasSuffix("}HTTP/1.1 100 Continue\r\n\r\n"))
    }
  }

  @Test("asks for no body that is too large: its refusal comes at once", .timeLimit(.minutes(10)))
  func tooLarge() async throws {
    try await withCollector { client, _ in
      let line = try Line(port: client.port)
      try line.send(head(Routes.maxBody_bytes + 1))
      #expect(try await line.read(until: "\r\n").hasPrefix("HTTP/1.1 413"))
    }
  }
}
