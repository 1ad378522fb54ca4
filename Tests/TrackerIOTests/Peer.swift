import Foundation
import Testing

private let python = "/usr/bin/python3"
let canImitateModems =
  FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon")
  && (try? Peer(python, ["-c", "import dbus, gi; print('yes')"]).line()) == "yes"

/// A program beside the test, spoken to by lines.
final class Peer {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private var rest: [UInt8] = []

  init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
  }

  deinit { kill() }

  func kill() {
    // The threads that run tests block SIGTERM, and children inherit that.
    if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// The next one that it says; empty at its end.
  func line() -> String {
    while !rest.contains(10) {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      rest += more
    }
    let line = rest.prefix { $0 != 10 }
    rest.removeFirst(min(rest.count, line.count + 1))
    return String(decoding: line, as: UTF8.self)
  }

  func tell(_ line: String) -> String {
    input.fileHandleForWriting.write(Data((line + "\n").utf8))
    return self.line()
  }
}

extension Peer {
  /// A bus of its own.
  static func bus() throws -> (Peer, address: String) {
    let bus = try Peer("/usr/bin/dbus-daemon", ["--session", "--nofork", "--print-address"])
    return (bus, bus.line())
  }

  /// A program of Tests/Rig.
  static func rig(_ name: String, _ arguments: [String] = [], _ environment: [String: String]) throws -> Peer
  {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Rig/\(name)")
    return try Peer(python, [script.path] + arguments, environment: environment)
  }

  static func modemManager(on address: String) throws -> Peer {
    let peer = try rig("modem-manager", [], ["DBUS_SYSTEM_BUS_ADDRESS": address])
    #expect(peer.line() == "ready")
    return peer
  }
}
