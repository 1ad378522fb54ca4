import Hummingbird
import Testing

@testable import Collector

@Suite("What was changed")
struct AuditTests {
  @Test("each change is written down with who, what and how it ended, and nothing of its values")
  func written() async throws {
    try await withCollector { client, store in
      _ = try await client.put("/v1/devices/van%207/config", #"{"settings":{"motion.stop_timeout_s":600}}"#)
      _ = try await client.put("/v1/devices/van%207/config", "{}")
      _ = try await client.get("/v1/fleet")
      _ = try await client.post(body([]))
      let log = try await store.audits(device: "van 7", before: nil, limit: 10)
      #expect(log.map(\.status) == [400, 200])
      #expect(log.map(\.who) == ["anyone", "anyone"] && log.map(\.device) == ["van 7", "van 7"])
      #expect(log.first?.action == "PUT /v1/devices/van%207/config")
      let answer = try await client.get("/v1/audit")
      for words in [":600", "stop_timeout", "GET", "/v1/locations"] {
        #expect(!answer.text.contains(words), "\(words)")
      }
      #expect(
        try await store.audits(device: nil, before: log[0].number, limit: 10).map(\.number) == [log[1].number]
      )
    }
  }

  @Test(
    "each change has its end, also one that fails",
    arguments: [
      (StorageError(code: "x", words: "disk full"), 503), (Refusal(.conflict, "no"), 409),
      (HTTPError(.notFound), 404), (CancellationError(), 500),
    ] as [(any Error, Int)])
  func failed(error: any Error, status: Int) async throws {
    try await withCollector { _, store in
      let router = Router(context: CollectorContext.self)
      router.add(middleware: RefusalMiddleware())
        .add(middleware: AuditMiddleware(store: store, now_ms: { now_ms }))
        .post("/v1//config/") { _, _ -> Response in throw error }
      try await Application(router: router).test { client in
        _ = try? await client.send(.post, "/v1//config/")
      }
      let log = try await store.audits(device: nil, before: nil, limit: 9)
      #expect(log.map(\.status) == [status] && log.map(\.action) == ["POST /v1/config"])
    }
  }

  @Test("a change that somebody may not make is none")
  func refused() async throws {
    try await withCollector(tokens: "shared", operators: "chief") { client, store in
      _ = try await client.put(
        "/v1/devices/van-7/config", #"{"settings":{}}"#, headers: ["Authorization": "Bearer shared"])
      #expect(try await store.audits(device: nil, before: nil, limit: 10) == [])
      _ = try await client.put(
        "/v1/devices/van-7/config", #"{"settings":{}}"#, headers: ["Authorization": "Bearer chief"])
      #expect(try await store.audits(device: nil, before: nil, limit: 10).map(\.who) == ["operator token"])
    }
  }
}
