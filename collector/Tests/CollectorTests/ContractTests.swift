import Foundation
import Testing

@testable import Collector

@Suite("docs/openapi.yaml")
struct ContractTests {
  /// `GET /v1/devices/{device}`, from the lines of the document.
  private static func documented() throws -> Set<String> {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let text = try String(contentsOf: folder.appending(path: "docs/openapi.yaml"), encoding: .utf8)
    var (path, found): (Substring?, Set<String>) = (nil, [])
    for line in text.split(separator: "\n") {
      if line.hasPrefix("  /"), line.hasSuffix(":") { path = line.dropFirst(2).dropLast() }
      if !line.hasPrefix(" ") { path = nil }
      let word = line.dropFirst(4)
      if let path, line.hasPrefix("    "), ["get:", "put:", "post:", "patch:", "delete:"].contains(word) {
        found.insert("\(word.dropLast().uppercased()) \(path)")
      }
    }
    return found
  }

  @Test("has every path of the collector but its pages, and no other")
  func complete() async throws {
    try await withCollector { _, store in
      let routes = Routes(
        store: store, uploadPath: CollectorOptions().uploadPath,
        fleet: FleetReader(store: store, places: Places(nil), now_ms: { now_ms }), now_ms: { now_ms })
      let served = routes.router(Access(asksForTokens: false)).routes
        .map { "\($0.method.rawValue) \($0.path)" }
        .filter { !$0.hasPrefix("HEAD ") }
        .map { $0.replacing(/:(\w+)|\{(\w+)\}/) { "{\($0.1 ?? $0.2 ?? "")}" } }
        .filter { $0.contains(" /v1/") || $0.contains(" /metrics") }
      let documented = try Self.documented()
      #expect(Set(served) == documented)
    }
  }
}
