import Foundation

/// A wall clock of its own for some of the rig's processes: wrong from the start, and set while they run. The
/// machine's clock stays as it is. `Tests/Rig/WrongClock/wrong-clock.c` says how.
final class WrongClock {
  private let file: URL
  private let library: URL

  static func missing() -> String? {
    if let part = Rig.missing() { return part }
    return FileManager.default.isExecutableFile(atPath: "/usr/bin/cc") ? nil : "there is no C compiler"
  }

  /// - Parameter name: of its files in the folder.
  init(_ name: String = "clock", in rig: Rig, ahead_s: Int, isSynchronised: Bool = false) throws {
    file = rig.file(name)
    library = rig.file("\(name).so")
    let source = Rig.repository.appendingPathComponent("Tests/Rig/WrongClock/wrong-clock.c")
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/cc")
    compiler.arguments = ["-shared", "-fPIC", "-pthread", "-o", library.path, source.path]
    try compiler.run()
    compiler.waitUntilExit()
    try set(ahead_s: ahead_s, isSynchronised: isSynchronised)
  }

  func set(ahead_s: Int, isSynchronised: Bool = false) throws {
    try "\(ahead_s) \(isSynchronised ? 1000 : 16_000_000)\n".write(
      to: file, atomically: true, encoding: .utf8)
  }

  var environment: [String: String] {
    ProcessInfo.processInfo.environment.merging([
      "LD_PRELOAD": library.path, "GODWIT_CLOCK": file.path,
    ]) { $1 }
  }
}
