import Foundation
import Testing

@testable import TrackerIO

@Suite("Who reads a receiver's line")
struct LineReadersTests {
  /// A folder like /proc, and a line; each process has a name, arguments, and what it holds open.
  private func readers(_ processes: [(name: String, arguments: [String], opens: Bool)]) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let line = folder.appendingPathComponent("ttyX0")
    for (index, process) in processes.enumerated() {
      let files = folder.appendingPathComponent("proc/\(index + 10)/fd")
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      try Data().write(to: line)
      try FileManager.default.createSymbolicLink(
        at: files.appendingPathComponent("5"), withDestinationURL: process.opens ? line : folder)
      let place = files.deletingLastPathComponent()
      try Data("\(process.name)\n".utf8).write(to: place.appendingPathComponent("comm"))
      let arguments = process.arguments.map { $0 == "LINE" ? line.path : $0 }.joined(separator: "\0") + "\0"
      try Data(arguments.utf8).write(to: place.appendingPathComponent("cmdline"))
    }
    return LineReaders.all(of: line.path, proc: folder.appendingPathComponent("proc").path)
  }

  @Test("by what they hold open")
  func open() throws {
    #expect(
      try readers([("gpsd", ["gpsd"], true), ("ModemManager", [], true), ("sh", [], false)])
        == ["gpsd (10)", "ModemManager (11)"])
  }

  @Test("a gpsd by its arguments, too: only root sees what others hold open")
  func arguments() throws {
    #expect(
      try readers([
        ("gpsd", ["gpsd", "-N", "LINE"], false), ("gpsd", ["gpsd", "LINE"], false), ("cat", ["LINE"], false),
      ])
        == ["gpsd (10)", "gpsd (11)"])
  }

  @Test("a line that is not there has none")
  func none() { #expect(LineReaders.all(of: "/nowhere/ttyX0") == []) }
}
