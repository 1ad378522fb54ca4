import Glibc
import Testing

@testable import TrackerIO

@Suite("The token's file")
struct SecretFileTests {
  private let folder = QueueFolder()
  private var path: String { folder.path + "/token" }

  private func put(_ bytes: [UInt8], mode: mode_t = 0o600) {
    folder.write(bytes, to: "token")
    chmod(path, mode)
  }

  private func refusal() -> String { words { _ = try SecretFile.read(path) } }

  @Test(
    "white space around the token does not matter",
    arguments: ["tok-1", "tok-1\n", "tok-1\r\n", "\n\ntok-1\n", " \ttok-1 \t\n", "tok-1\nnote\n"])
  func accepted(_ text: String) throws {
    put(Array(text.utf8))
    #expect(try SecretFile.read(path) == "tok-1")
  }

  @Test("nothing but white space is empty", arguments: ["", "\n\n\n", "   \t ", "\r\n"])
  func empty(_ text: String) {
    put(Array(text.utf8))
    #expect(refusal() == "\(path) is empty: write the secret into it")
  }

  @Test(
    "a byte order mark is reported",
    arguments: [[0xEF, 0xBB, 0xBF, 0x61], [0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61]] as [[UInt8]])
  func byteOrderMark(_ bytes: [UInt8]) {
    put(bytes)
    #expect(refusal() == "\(path) begins with a byte order mark: save it as plain text without one")
  }

  @Test("a blank or a tab inside is reported", arguments: ["Bearer tok-1\n", "tok\t1"])
  func blankInside(_ text: String) {
    put(Array(text.utf8))
    #expect(
      refusal()
        == "\(path) has a blank or a tab within its line: write the token alone, with no word before or after it"
    )
  }

  @Test(
    "a carriage return within is reported: what stands behind it is not cut off",
    arguments: ["a\rb\n", "\na b\r c\r\n"])
  func carriageReturn(_ text: String) {
    put(Array(text.utf8))
    let reported = words { _ = try SecretFile.read(path, mayHaveBlanks: true) }
    #expect(
      reported
        == "\(path) has a carriage return within its line: write the secret alone, in one line that ends with a line feed"
    )
  }

  @Test("a password or a header's value may have blanks within")
  func blanks() throws {
    put(Array(" Api  key 7\n".utf8))
    #expect(try SecretFile.read(path, mayHaveBlanks: true) == "Api  key 7")
  }

  @Test(
    "what no header may carry is reported, without a byte of it",
    arguments: ["tok\u{0}1", "\u{0}\u{0}", "töken", "a\u{7F}"])
  func notPlain(_ text: String) {
    put(Array(text.utf8))
    #expect(
      refusal()
        == "\(path) holds what is no visible ASCII character, so no secret: write the secret alone, as plain text"
    )
  }

  @Test("10 kB are no token")
  func tooLarge() {
    put([UInt8](repeating: 0x41, count: 10_240))
    #expect(refusal() == "\(path) is larger than 8 kB, so no secret: write the secret alone into it")
  }

  @Test("each reading looks at the mode")
  func mode() throws {
    put(Array("tok-1".utf8))
    #expect(try SecretFile.read(path) == "tok-1")
    chmod(path, 0o644)
    #expect(refusal() == "\(path) has mode 0644, but only its owner may read it: chmod 0600 \(path)")
    chmod(path, 0o400)
    #expect(try SecretFile.read(path) == "tok-1")
  }

  @Test("no stranger in its place holds anybody up", arguments: Stranger.allCases)
  func strangers(_ stranger: Stranger) throws {
    try stranger.make(path)
    #expect(refusal() == "\(path) \(stranger.words)")
  }

  @Test("a missing one is reported")
  func missing() {
    #expect(
      refusal() == "cannot read \(path): No such file or directory; is it there, and may this user read it?")
  }
}
