import Glibc
import Testing
import TrackerBase
import TrackerIO
import TrackerWire

@Suite("The state file")
struct StateFileTests {
  private let folder = QueueFolder()
  private var file: StateFile { StateFile(queuePath: folder.queue) }
  private static let name = "queue.db.state"

  private func writeAll() throws {
    for part in StateFile.Part.allCases { try file.write(part, #"{"of":"\#(part.rawValue)"}"#) }
  }

  private func readable() -> [StateFile.Part] {
    StateFile.Part.allCases.filter { (try? file.read($0))??["of"]?.string == $0.rawValue }
  }

  @Test("has a line of JSON for each part, for its owner alone")
  func written() throws {
    #expect(try file.read(.run) == nil)
    try file.write(.commands, "[1]")
    #expect(try file.read(.run) == nil && file.read(.commands) == .array([.integer(1)]))
    let lines = String(decoding: folder.read(Self.name), as: UTF8.self).split(separator: "\n")
    let values = lines.map { JSONReader.parse(Array($0.utf8)) }
    #expect(values.map { $0?["commands"] != nil } == [false, false, true, false] && values[0] == .null)
    var info = stat()
    #expect(stat(file.path, &info) == 0 && info.st_mode & 0o7777 == 0o600)
    #expect(folder.files == [Self.name])
    try writeAll()
    #expect(readable() == StateFile.Part.allCases)
  }

  @Test("a bit that is wrong costs one part, and a line's end all; each says so until it is written again")
  func flipped() throws {
    try writeAll()
    let whole = folder.read(Self.name)
    for place in whole.indices {
      var bytes = whole
      bytes[place] ^= 1
      folder.write(bytes, to: Self.name)
      let left = readable()
      let isEnd = whole[place] == UInt8(ascii: "\n") || bytes[place] == UInt8(ascii: "\n")
      #expect(left.count == (isEnd ? 0 : 3), "\(place)")
      let lost = StateFile.Part.allCases.filter { !left.contains($0) }
      for part in lost { #expect(throws: StateFile.Problem.self) { try file.read(part) } }
      try file.write(lost[0], #"{"of":"\#(lost[0].rawValue)"}"#)
      #expect(readable() == StateFile.Part.allCases.filter { left.contains($0) || $0 == lost[0] })
      for part in lost.dropFirst() { #expect(throws: StateFile.Problem.self) { try file.read(part) } }
    }
  }

  @Test(
    "one that is empty, cut, full of zeros or a line too long is damaged, and is written anew",
    arguments: 0..<5)
  func spoilt(kind: Int) throws {
    try writeAll()
    let whole = folder.read(Self.name)
    let spoilt = [
      [], Array(whole.dropLast(10)), [UInt8](repeating: 0, count: whole.count), whole + Array("x\n".utf8),
      Array(whole.dropLast()),
    ][kind]
    folder.write(spoilt, to: Self.name)
    for part in StateFile.Part.allCases where !readable().contains(part) {
      #expect(throws: StateFile.Problem.self) { try file.read(part) }
    }
    #expect(readable().isEmpty)
    try writeAll()
    #expect(readable() == StateFile.Part.allCases)
  }

  @Test("one that cannot be read just now is not replaced")
  func unreadable() throws {
    symlink(file.path, file.path)
    #expect(throws: StateFile.Problem.self) { try file.read(.run) }
    #expect(throws: HostError.self) { try file.write(.run, "1") }
    var info = stat()
    #expect(lstat(file.path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK)
    unlink(file.path)
    try file.write(.run, "1")
    #expect(try file.read(.run) == 1)
  }

  @Test("what another process writes at the same time is not lost")
  func together() async throws {
    try file.write(.run, "0")
    let file = file
    await withTaskGroup(of: Void.self) { group in
      for part in StateFile.Part.allCases {
        group.addTask { for number in 1...50 { try? file.write(part, "\(number)") } }
      }
    }
    for part in StateFile.Part.allCases { #expect(try file.read(part) == .integer(50)) }
  }
}
