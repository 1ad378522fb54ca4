import ArgumentParser
import Glibc
import TrackerIO

/// The laboratory is a program and a package of its own: the box carries none of it.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what settings would have done on a recorded drive (package godwit-lab).",
    discussion: """
      Runs godwit-lab simulate with the same options; docs/simulate.md explains them.

      Exit codes: those of godwit-lab simulate: 0 done, 64 a mistake on the command line, 66 a file that cannot be read, \
      69 godwit-lab is not installed, 73 a report that cannot be written, 78 a mistake in the settings.
      """)

  @Argument(parsing: .captureForPassthrough) var options: [String] = []

  func run() throws {
    let words = ["godwit-lab", "simulate"] + options
    let beside = Simulate.beside()
    var arguments = words.map { strdup($0) } + [nil]
    if let beside { execv(beside, &arguments) }
    execvp("godwit-lab", &arguments)
    throw errno == ENOENT
      ? ExitReason.unavailable.exit("godwit-lab is not installed: sudo apt install godwit-lab")
      : ExitReason.system.exit("godwit-lab cannot be run: \(String(cString: strerror(errno)))")
  }

  /// The one that was built or installed with this program.
  private static func beside() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.lastIndex(of: "/").map { path[...$0] + "godwit-lab" }
  }
}
