import Foundation

/// Runs `godwit simulate` over a vehicle's own day: one at a time, in a folder of its own, for so long at most.
public final class Simulator: Sendable {
  static let longest_s = 60.0

  private let program: String
  private let queue = DispatchQueue(label: "simulate", qos: .utility)
  private let isBusy = Locked(false)

  /// - Parameter program: the agent's, of the version that the fleet has.
  public init(program: String) { self.program = program }

  /// - Parameters:
  ///   - track: CSV.
  ///   - settings: values by key, as JSON has them.
  /// - Returns: what it prints for each, as JSON.
  func run(track: String, _ settings: [[String: JSONValue]]) async throws -> [String] {
    let isFree = isBusy.with { busy in
      defer { busy = true }
      return !busy
    }
    guard isFree else { throw Refusal(.serviceUnavailable, "another simulation runs: try again in a moment") }
    defer { isBusy.with { $0 = false } }
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Result { try self.all(track, settings) })
      }
    }
  }

  private func all(_ track: String, _ settings: [[String: JSONValue]]) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "godwit-simulate-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "day.csv")
    try Data(track.utf8).write(to: file)
    return try settings.map { try one(file, $0, folder) }
  }

  private func one(_ file: URL, _ settings: [String: JSONValue], _ folder: URL) throws -> String {
    // Into files: a pipe that nobody empties would hold the program up.
    let (output, errors) = (folder.appending(path: "output"), folder.appending(path: "errors"))
    for each in [output, errors] { try Data().write(to: each) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments =
      ["simulate", "--track", file.path, "--json"]
      + settings.sorted { $0.key < $1.key }.flatMap {
        ["--set", "\($0.key)=\($0.value.string ?? $0.value.text)"]
      }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardInput = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do { try process.run() } catch {
      throw Refusal(.serviceUnavailable, "cannot start the simulation: \(error.localizedDescription)")
    }
    guard ended.wait(timeout: .now() + Self.longest_s) == .success else {
      process.terminate()
      throw Refusal(.serviceUnavailable, "the simulation took longer than \(Int(Self.longest_s)) s")
    }
    guard process.terminationStatus == 0 else {
      let words = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
      throw Refusal(.unprocessableContent, "the simulation refuses: \(words.prefix(500))")
    }
    return try String(contentsOf: output, encoding: .utf8)
  }
}
