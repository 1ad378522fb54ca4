import CHost
import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

/// What somebody who never reads does to the log.
@Suite("A log that nobody reads")
struct TextOutputTests {
  enum Reader: String, CaseIterable {
    case pipe, socket, terminal
  }

  /// Both ends; nobody reads the first one.
  private func ends(_ reader: Reader) throws -> (reads: Int32, writes: Int32) {
    var both: [Int32] = [-1, -1]
    switch reader {
    case .pipe: try #require(chost_pipe(&both) == 0)
    case .socket: try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &both) == 0)
    case .terminal:
      var name = [CChar](repeating: 0, count: 64)
      both[0] = chost_open_pty(&name, 64)
      both[1] = open(
        String(decoding: name.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self), O_RDWR | O_NOCTTY)
    }
    try #require(both[0] >= 0 && both[1] >= 0)
    return (both[0], both[1])
  }

  private func line(_ number: Int) -> String { "line \(number) " + String(repeating: "x", count: 80) + "\n" }

  /// Reads until the line `last` has come; the wait only ends what has failed.
  private func drain(_ descriptor: Int32, _ output: TextOutput, until last: String) -> String {
    var text = ""
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while !text.hasSuffix(last) {
      output.flush()
      if Poller.wait([PollDescriptor(descriptor: descriptor)], timeout_ms: 900_000).isEmpty { break }
      let count = read(descriptor, &bytes, bytes.count)
      if count <= 0 { break }
      // A terminal ends lines with \r\n.
      text += String(decoding: bytes[..<count].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }
    return text
  }

  @Test(
    "writing never waits, and what is lost is counted and reported in its place", arguments: Reader.allCases)
  func neverWaits(_ reader: Reader) throws {
    let (reads, writes) = try ends(reader)
    defer { close(reads) }
    defer { close(writes) }
    let flags = fcntl(writes, F_GETFL)
    let output = TextOutput(writes)
    let count = 20_000
    for number in 1...count { output.write(line(number).utf8) }
    #expect(output.isWaiting)
    #expect(output.lostLines > count / 2)
    // Whoever shares the descriptor finds it as it was.
    #expect(fcntl(writes, F_GETFL) == flags)
    // The kernel still moves what a terminal has taken, so it may be ready for a little more; not for ever.
    var turns = 0
    while turns < 10_000, !Poller.wait([output.poll], timeout_ms: 0).isEmpty {
      output.flush()
      turns += 1
    }
    #expect(turns < 10_000, "\(reader): a loop that waits for it spins")

    let lines = drain(reads, output, until: line(count)).split(separator: "\n")
    #expect(!output.isWaiting)
    // A terminal makes room whenever the kernel gets to it: what is lost may be reported in several places.
    let notice =
      reader == .terminal
      ? #/warning: (\d+) lines? of the log (?:was|were) lost: nobody read them/#
      : #/<4>(\d+) lines? of the log (?:was|were) lost: nobody read them/#
    var (expected, lost, notices) = (1, 0, 0)
    for text in lines {
      if let match = text.wholeMatch(of: notice), let number = Int(match.1) {
        (expected, lost, notices) = (expected + number, lost + number, notices + 1)
      } else {
        // Every other line is whole and in order.
        #expect(text + "\n" == line(expected))
        expected += 1
      }
    }
    #expect(notices > 0)
    #expect(lost == output.lostLines)
    #expect(lines.last.map { $0 + "\n" } == line(count))
    #expect(lines.first.map { $0 + "\n" } == line(1))
  }

  @Test("a pipe that may not be opened again, full but for one line, is written as far as it goes")
  func whenReady() throws {
    let (reads, writes) = try ends(.pipe)
    defer { close(reads) }
    defer { close(writes) }
    let output = TextOutput(writes, opensAgain: false)
    for number in 1...20_000 { output.write(line(number).utf8) }
    #expect(output.isWaiting)
    #expect(drain(reads, output, until: line(20_000)).hasSuffix(line(20_000)))
  }

  @Test("a reader that is gone costs the lines, and nothing is waited for")
  func gone() throws {
    let (reads, writes) = try ends(.socket)
    defer { close(writes) }
    let output = TextOutput(writes)
    close(reads)
    output.write("one\n".utf8)
    output.write("two\nthree\n".utf8)
    #expect(output.lostLines >= 2)
    #expect(!output.isWaiting)
  }

  @Test("the end of the process waits for the reader, but not for ever")
  func finish() throws {
    let (reads, writes) = try ends(.pipe)
    defer { close(reads) }
    defer { close(writes) }
    let output = TextOutput(writes)
    for number in 1...2000 { output.write(line(number).utf8) }
    let begun_ms = HostClock.now().boot_ms
    output.finish(within_ms: 50)
    #expect(HostClock.now().boot_ms - begun_ms >= 50)
    #expect(output.isWaiting)
  }

  @Test("a ring keeps the newest lines that fit, and never cuts the one that is on its way")
  func ring() {
    var ring = LineRing()
    let notice = { (count: Int) in Array("lost \(count)\n".utf8) }
    #expect(ring.next(notice: notice) == nil)
    ring.append(Array("abc\n".utf8))
    #expect(ring.next(notice: notice) == Array("abc\n".utf8)[...])
    ring.wrote(2)
    let long = [UInt8](repeating: 0x78, count: 30_000)
    for _ in 0..<4 { ring.append(long) }
    #expect(ring.lost == 2)
    #expect(ring.next(notice: notice).map { Array($0) } == Array("c\n".utf8))
    ring.wrote(2)
    #expect(ring.next(notice: notice).map { Array($0) } == Array("lost 2\n".utf8))
    ring.wrote(7)
    for _ in 0..<2 {
      #expect(ring.next(notice: notice)?.count == 30_000)
      ring.wrote(30_000)
    }
    #expect(ring.isEmpty)
    ring.append([UInt8](repeating: 0x78, count: LineRing.capacity_bytes + 1))
    #expect(ring.lost == 3)
    ring.loseAll()
    #expect(ring.lost == 3)
    #expect(ring.next(notice: notice).map { Array($0) } == Array("lost 1\n".utf8))
  }

  @Test("a line that reported lost ones and was lost itself costs none of their number, and is none of them")
  func lostNotice() {
    var ring = LineRing()
    let notice = { (count: Int) in Array("lost \(count)\n".utf8) }
    for _ in 0..<5 { ring.append(Array("a\n".utf8)) }
    ring.loseAll()
    #expect(ring.next(notice: notice).map { Array($0) } == Array("lost 5\n".utf8))
    ring.loseAll()
    #expect(ring.lost == 5)
    #expect(ring.next(notice: notice).map { Array($0) } == Array("lost 5\n".utf8))
    ring.wrote(7)
    #expect(ring.isEmpty)
  }

  @Test("systemd that does not read its socket holds nobody up")
  func notify() throws {
    let folder = QueueFolder()
    let path = folder.path + "/notify"
    let systemd = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(systemd) }
    #expect(try ControlAddress.with(path) { bind(systemd, $0, $1) } == 0)
    let notify = try #require(NotifySocket(path))
    var taken = 0
    while taken < 100_000, notify.send("WATCHDOG=1") { taken += 1 }
    #expect(taken < 100_000)
    #expect(!notify.send("READY=1", patience_ms: 30))
    var bytes = [UInt8](repeating: 0, count: 64)
    #expect(recv(systemd, &bytes, 64, 0) == 10)
    #expect(notify.send("READY=1", patience_ms: 30))
    #expect(NotifySocket("vsock:2:3") == nil)
  }
}
