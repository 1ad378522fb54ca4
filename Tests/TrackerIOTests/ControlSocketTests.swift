import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("The control socket")
struct ControlSocketTests {
  let folder = QueueFolder()

  @Test("a command asks, the agent answers, both ends close")
  func ask() throws {
    let socket = try ControlSocket(directory: folder.path)
    let client = AskingThread(folder.path, "track 2h")
    let request = try #require(try receive(socket).first)
    #expect(request.line == "track 2h")
    socket.reply(id: request.id, text: "tracking for 2 h\n")
    #expect(try client.answer().get() == "tracking for 2 h\n")
    #expect(socket.descriptors.count == 1)
  }

  @Test("an answer larger than any buffer arrives whole")
  func largeAnswer() throws {
    let socket = try ControlSocket(directory: folder.path)
    let client = AskingThread(folder.path, "status")
    let request = try #require(try receive(socket).first)
    let text = String(repeating: "0123456789abcdef", count: 200_000)
    socket.reply(id: request.id, text: text)
    while socket.descriptors.count > 1 {
      #expect(socket.receive(ready: waitForDescriptors(socket.descriptors, timeout_ms: 1000)) == [])
    }
    #expect(try client.answer().get() == text)
  }

  @Test("lines of several clients are kept apart, however they come in pieces")
  func pieces() throws {
    let socket = try ControlSocket(directory: folder.path)
    let (first, second) = (RawClient(folder.path), RawClient(folder.path))
    first.send("sta")
    second.send("pause\nrest")
    #expect(try receive(socket).map(\.line) == ["pause"])
    first.send("tus\n")
    #expect(try receive(socket).map(\.line) == ["status"])
  }

  @Test("a line of 1,024 bytes is taken, a longer one answered with an error", arguments: [1024, 1025, 5000])
  func longLine(count: Int) throws {
    let socket = try ControlSocket(directory: folder.path)
    let client = RawClient(folder.path)
    client.send(String(repeating: "x", count: count) + (count < 5000 ? "\n" : ""))
    if count == 1024 {
      #expect(try receive(socket).first?.line.utf8.count == count)
    } else {
      while socket.descriptors.count < 2 { poll(socket) }
      while socket.descriptors.count > 1 { #expect(poll(socket) == []) }
      #expect(client.readAll().hasPrefix("error: the line is too long"))
    }
  }

  @Test(
    "the group godwit is found in /etc/group by its whole name, and its number is one",
    arguments: [
      ("root:x:0:\ngodwit:x:998:anna,bert\n", 998), ("godwit:x:998", 998), ("godwits:x:998:\n", nil),
      ("xgodwit:x:998:\n", nil), ("godwit:x::\n", nil), ("godwit:x:-1:\n", nil),
      ("godwit:x:4294967295:\n", nil),
      ("godwit\n", nil), ("", nil),
    ] as [(String, gid_t?)])
  func group(file: String, id: gid_t?) {
    #expect(ControlGroup.id(in: Array(file.utf8)) == id)
  }

  @Test("the socket is the group's that may connect", .enabled(if: getuid() == 0))
  func groupOfSocket() throws {
    let other: gid_t = 1
    let socket = try ControlSocket(directory: folder.path, group: other)
    var info = stat()
    #expect(stat(folder.path + "/control", &info) == 0 && info.st_gid == other)
    #expect(info.st_mode & 0o777 == 0o660 && info.st_uid == getuid())
    withExtendedLifetime(socket) {}
  }

  @Test("a client that says nothing is dropped once its time is up, when the loop turns next")
  func slowClient() throws {
    let socket = try ControlSocket(directory: folder.path, patience_ms: 50)
    let client = RawClient(folder.path)
    while socket.descriptors.count < 2 { poll(socket) }
    while socket.descriptors.count > 1 { poll(socket) }
    #expect(client.readAll() == "")
  }

  @Test("eight clients at a time; the ninth is turned away and nobody else suffers")
  func tooManyClients() throws {
    let socket = try ControlSocket(directory: folder.path, patience_ms: 60_000, silence_ms: 60_000)
    let clients = (1...8).map { _ in RawClient(folder.path) }
    while socket.descriptors.count < 10 { poll(socket) }
    let ninth = RawClient(folder.path)
    poll(socket)
    #expect(ninth.readAll() == ControlSocket.busyAnswer)
    #expect(throws: ControlError.busy) {
      try AskingThread(folder.path, "status").busyAnswer(poll: { poll(socket) })
    }
    clients[7].send("status\n")
    #expect(try receive(socket).map(\.line) == ["status"])
  }

  @Test("a silent client whose second is over makes room for one that asks")
  func silentClients() throws {
    let socket = try ControlSocket(directory: folder.path, patience_ms: 60_000, silence_ms: 50)
    let silent = (1...8).map { _ in RawClient(folder.path) }
    while socket.descriptors.count < 10 { poll(socket) }
    let end = ContinuousClock.now + .seconds(300)
    var asked: [ControlRequest] = []
    while asked.isEmpty, ContinuousClock.now < end {
      let client = RawClient(folder.path)
      client.send("status\n")
      poll(socket)
      asked = poll(socket)
    }
    #expect(asked.map(\.line) == ["status"])
    withExtendedLifetime(silent) {}
  }

  @Test("a client's time ends by itself: the loop is woken for it")
  func wakesForDeadline() throws {
    let socket = try ControlSocket(directory: folder.path, patience_ms: 200)
    let client = RawClient(folder.path)
    while socket.descriptors.count < 2 { poll(socket) }
    let ready = waitForDescriptors(socket.descriptors, timeout_ms: 300_000)
    #expect(ready.count == 1)
    _ = socket.receive(ready: ready)
    #expect(socket.descriptors.count == 1)
    #expect(client.readAll() == "")
  }

  @Test("a socket whose name was removed or taken says so, and leaves the other's alone")
  func isInPlace() throws {
    var first: ControlSocket? = try ControlSocket(directory: folder.path)
    #expect(first?.isInPlace == true)
    unlink(ControlAddress.path(in: folder.path))
    #expect(first?.isInPlace == false)
    let second = try ControlSocket(directory: folder.path)
    #expect(first?.isInPlace == false)
    first = nil
    #expect(second.isInPlace)
  }

  @Test("a client that leaves before its answer does no harm")
  func goneClient() throws {
    let socket = try ControlSocket(directory: folder.path)
    var client: RawClient? = RawClient(folder.path)
    client?.send("status\n")
    let request = try #require(try receive(socket).first)
    client = nil
    socket.reply(id: request.id, text: "late")
    socket.reply(id: request.id, text: "twice")
    socket.reply(id: 99, text: "nobody")
    #expect(socket.descriptors.count == 1)
  }

  @Test("a stale socket is replaced, a living one is not")
  func stale() throws {
    let path = ControlAddress.path(in: folder.path)
    let dead = try ControlAddress.socket(nonBlocking: true)
    #expect(try ControlAddress.with(path) { bind(dead, $0, $1) } == 0)
    close(dead)
    let socket = try ControlSocket(directory: folder.path)
    #expect(throws: ControlError.inUse) { try ControlSocket(directory: folder.path) }
    var info = stat()
    #expect(lstat(path, &info) == 0)
    #expect(info.st_mode & 0o777 == 0o660)
    withExtendedLifetime(socket) {}
  }

  @Test("what is no socket in its place stays as it is, and is named", arguments: [false, true])
  func inTheWay(isPipe: Bool) throws {
    let path = ControlAddress.path(in: folder.path)
    if isPipe { mkfifo(path, 0o600) } else { folder.write([1, 2], to: "control") }
    let error = thrown(ControlError.self) { try ControlSocket(directory: folder.path) }
    #expect(
      error?.description
        == "control socket: \(path) is no socket: move it away, the agent makes its own there")
    #expect(folder.files == ["control"])
    if !isPipe { #expect(folder.read("control") == [1, 2]) }
  }

  @Test("the socket is gone with the agent, and the command says what to look at")
  func notRunning() throws {
    do { _ = try ControlSocket(directory: folder.path) }
    #expect(folder.files == [])
    let error = thrown(ControlError.self) {
      try ControlClient.ask(directory: folder.path, line: "status")
    }
    #expect(
      "\(try #require(error))"
        == "connect: No such file or directory (2); is it running? systemctl status godwit shows it")
    #expect(
      "\(ControlError.system("recv", errno: ECONNRESET))"
        == "the agent ended while it was asked: recv: Connection reset by peer (104); ask again, or see systemctl status godwit"
    )
  }

  @Test("a folder whose name is too long is refused with the limit")
  func longPath() throws {
    let directory = "/" + String(repeating: "d", count: 200)
    #expect(throws: ControlError.pathTooLong(limit: 99)) { try ControlSocket(directory: directory) }
  }

  @Test("an agent that does not answer ends the command's wait")
  func noAnswer() throws {
    let socket = try ControlSocket(directory: folder.path)
    #expect(throws: ControlError.noAnswer) {
      try ControlClient.ask(directory: folder.path, line: "status", timeout_s: 1)
    }
    withExtendedLifetime(socket) {}
  }

  // MARK: Helpers

  @discardableResult
  private func poll(_ socket: ControlSocket) -> [ControlRequest] {
    socket.receive(ready: waitForDescriptors(socket.descriptors, timeout_ms: 100))
  }

  /// Polls until there is a request.
  private func receive(_ socket: ControlSocket) throws -> [ControlRequest] {
    let end = ContinuousClock.now + .seconds(300)
    while ContinuousClock.now < end {
      let requests = poll(socket)
      if !requests.isEmpty { return requests }
    }
    throw WaitedTooLong()
  }
}

/// A client that the test plays by hand.
private final class RawClient {
  private let descriptor: Int32

  init(_ directory: String) {
    descriptor = (try? ControlAddress.socket(nonBlocking: false)) ?? -1
    let descriptor = descriptor
    _ = try? ControlAddress.with(ControlAddress.path(in: directory)) { connect(descriptor, $0, $1) }
  }

  deinit { close(descriptor) }

  func send(_ text: String) { _ = ControlAddress.send(descriptor, Array(text.utf8)[...]) }

  func readAll() -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var text: [UInt8] = []
    while true {
      let count = ControlAddress.receive(descriptor, into: &buffer)
      if count <= 0 { return String(decoding: text, as: UTF8.self) }
      text += buffer[..<count]
    }
  }
}

/// `ControlClient.ask`, which blocks, on a thread of its own.
private final class AskingThread {
  private final class Work {
    let directory: String
    let line: String
    var answer: Result<String, any Error>?

    init(_ directory: String, _ line: String) { (self.directory, self.line) = (directory, line) }
  }

  private let work: Work
  private var thread = pthread_t()

  init(_ directory: String, _ line: String) {
    work = Work(directory, line)
    pthread_create(
      &thread, nil,
      {
        let work = Unmanaged<Work>.fromOpaque($0!).takeRetainedValue()
        work.answer = Result { try ControlClient.ask(directory: work.directory, line: work.line) }
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
  }

  func busyAnswer(poll: () -> Void) throws -> String {
    for _ in 0..<5 { poll() }
    return try answer().get()
  }

  /// Joins the thread; what it wrote is visible from then on.
  func answer() throws -> Result<String, any Error> {
    pthread_join(thread, nil)
    return try #require(work.answer)
  }
}
