import Foundation
import Testing

@testable import godwit

@Suite("The sign of life of the process before")
struct RunFolderTests {
  @Test(
    "counts in its own boot, and where it is one",
    arguments: [
      ("b-1 61000\n", 61_000), ("b-2 61000\n", nil), ("b-1", nil), ("b-1 soon", nil), ("", nil), (nil, nil),
    ] as [(String?, Int64?)])
  func lastAlive(text: String?, expected: Int64?) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "alive-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    if let text { try text.write(to: folder.appending(path: "alive"), atomically: true, encoding: .utf8) }
    #expect(RunFolder.lastAlive_ms(in: folder.path, bootID: "b-1") == expected)
  }
}
