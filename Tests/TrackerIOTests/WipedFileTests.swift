import Glibc
import Testing

@testable import TrackerIO

@Suite("A file that is used once")
struct WipedFileTests {
  private let folder = QueueFolder()
  private var path: String { folder.path + "/f" }

  @Test(
    "it is overwritten before it is removed, whatever its size", arguments: [0, 1, 46, 47, 48, 5000, 200_000])
  func wiped(size: Int) throws {
    folder.write([UInt8](repeating: UInt8(ascii: "s"), count: size), to: "f")
    // Keeps the bytes within sight.
    #expect(link(path, folder.path + "/g") == 0)
    try WipedFile.wipe(path)
    #expect(fileBytes(path) == nil)
    let left = try #require(fileBytes(folder.path + "/g"))
    #expect(!left.contains(UInt8(ascii: "s")) || size == 0 || WipedFile.isUsed(left))
    #expect(WipedFile.isUsed(left) && left.count == max(size, 47))
    #expect(left.dropFirst(47).allSatisfy { $0 == 0x0A })
  }

  @Test("one that is being written, or was never used, is not taken for a used one")
  func unused() {
    for text in ["", "#", "# godwit has used", "version = 1\n"] {
      #expect(!WipedFile.isUsed(Array(text.utf8)))
    }
  }

  @Test("a file that cannot be opened is said, and nothing is removed")
  func refused() {
    #expect(words { try WipedFile.wipe(path) } == "open \(path): No such file or directory (errno 2)")
    mkdir(path, 0o700)
    #expect(words { try WipedFile.wipe(path) }.contains("is a directory and not a file"))
  }
}
