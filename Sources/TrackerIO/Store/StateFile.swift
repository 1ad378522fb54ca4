import Glibc
import TrackerBase
import TrackerWire

/// What must be known before the store is opened, or without it: one file beside it, replaced as a whole (docs/queue.md).
///
/// It has a line of JSON for each part, with a checksum of its own, so that damage to one part costs no other. Where the file
/// as a whole is damaged, each part is, until it is written again.
public struct StateFile: Sendable {
  /// In the order of the lines.
  public enum Part: String, CaseIterable, Sendable {
    /// The device's name, where no setting gives it.
    case device
    /// What operators want, and how runs ended.
    case run
    /// Which commands of the server were done.
    case commands
    /// The server's settings.
    case settings
  }

  /// Why a part cannot be read.
  public struct Problem: Error, CustomStringConvertible {
    public let description: String
  }

  public let path: String
  /// What of it makes no sense begins anew, and this is reported.
  public var damaged: Problem { Problem(description: "\(path) is damaged, or another program's") }
  /// Two versions of the server's settings of the largest size, and room for the rest.
  private static let mostBytes = 2 * ConfigDocument.mostBytes + 131_072

  public init(queuePath: String) { path = queuePath + ".state" }

  /// - Returns: nil where nothing was saved.
  public func read(_ part: Part) throws(Problem) -> JSONValue? {
    let found: [Part: String]?
    do throws(OutsideFileError) { found = try lines() } catch { throw Problem(description: "\(error)") }
    guard let line = found?[part], line != StateFile.nothing else { return nil }
    guard let value = StateFile.value(of: part, in: line) else { throw damaged }
    return value
  }

  /// On storage once this has returned. The file belongs to whom the folder does. - Parameter json: the value.
  public func write(_ part: Part, _ json: String) throws(HostError) {
    let folder = FolderEntry.folder(of: path)
    let lock = StateFile.lock(folder)
    defer { if lock >= 0 { close(lock) } }
    var lines: [Part: String]
    do throws(OutsideFileError) { lines = try self.lines() ?? [:] } catch {
      // What cannot be read just now may be whole: it is not replaced.
      if case .callFailed = error { throw .file(error) }
      lines = StateFile.damagedLines
    }
    lines[part] = StateFile.line(part, json)
    let text = Part.allCases.map { (lines[$0] ?? StateFile.nothing) + "\n" }.joined()
    try TurnedFile.write(path, text, owner: OwnedFile.owner(of: folder))
  }

  // MARK: Lines

  /// For a part of which nothing was saved.
  private static let nothing = "null"
  private static let damagedLines = Dictionary(uniqueKeysWithValues: Part.allCases.map { ($0, "damaged") })

  /// nil: there is no file.
  private func lines() throws(OutsideFileError) -> [Part: String]? {
    let bytes: [UInt8]
    do throws(OutsideFileError) { bytes = try OutsideFile.read(path, limit_bytes: StateFile.mostBytes) } catch
    {
      if error.isMissing { return nil }
      throw error
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count == Part.allCases.count + 1, lines.last?.isEmpty == true else {
      return StateFile.damagedLines
    }
    // The last line has the room for the next version.
    let texts = lines.map { line in
      let end = line.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? line.startIndex
      return String(decoding: line[..<end], as: UTF8.self)
    }
    return Dictionary(uniqueKeysWithValues: zip(Part.allCases, texts))
  }

  private static func line(_ part: Part, _ json: String) -> String {
    #"{"sum":"\#(TextSum.of(json))","\#(part.rawValue)":\#(json)}"#
  }

  /// nil where it is not as `line` makes it.
  private static func value(of part: Part, in line: String) -> JSONValue? {
    let beginning = self.line(part, "").utf8.count - 1
    let json = String(decoding: line.utf8.dropFirst(beginning).dropLast(), as: UTF8.self)
    return self.line(part, json) == line ? JSONReader.parse(Array(json.utf8)) : nil
  }

  /// Another process may name the device while the agent runs. - Returns: what holds it, until it is closed; -1: nothing.
  private static func lock(_ folder: String) -> Int32 {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // It is held for milliseconds. Whoever holds it for longer is none of ours, and does not hold up the agent.
    for _ in 0..<100 where descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0 { usleep(10_000) }
    return descriptor
  }
}
