import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

private func isReady(_ descriptor: Int32, within timeout_ms: Int = 0) -> Bool {
  Poller.wait([PollDescriptor(descriptor: descriptor)], timeout_ms: timeout_ms) == [descriptor]
}

@Suite("The host's clocks, timers and signals")
struct HostTests {
  @Test("both clocks run, and the boot clock never goes back")
  func clocks() {
    let first = HostClock.now()
    let second = HostClock.now()
    #expect(first.boot_ms > 0)
    #expect(second.boot_ms >= first.boot_ms)
    #expect(abs(first.wall_ms / 1000 - Int64(time(nil))) < 60)
  }

  @Test("the boot has an id that does not change")
  func bootID() {
    #expect(HostClock.bootID().utf8.count == 36)
    #expect(HostClock.bootID() == HostClock.bootID())
  }

  @Test("a boot timer fires at its time, also at one that has passed")
  func bootTimer() throws {
    let timer = try BootTimer()
    #expect(!isReady(timer.descriptor))
    try timer.arm(at: 0)
    #expect(isReady(timer.descriptor, within: 100_000))
    timer.acknowledge()
    #expect(!isReady(timer.descriptor))

    let soon_ms = HostClock.now().boot_ms + 20
    try timer.arm(at: soon_ms)
    #expect(isReady(timer.descriptor, within: 100_000))
    #expect(HostClock.now().boot_ms >= soon_ms)
  }

  @Test("a boot timer that is disarmed does not fire, and acknowledging it does not block")
  func disarmed() throws {
    let timer = try BootTimer()
    try timer.arm(at: HostClock.now().boot_ms + 3_600_000)
    #expect(!isReady(timer.descriptor))
    try timer.arm(at: 0)
    try timer.arm(at: nil)
    #expect(!isReady(timer.descriptor))
    timer.acknowledge()
  }

  @Test("a clock that nobody sets wakes nobody")
  func clockWatch() throws {
    let watch = try ClockWatch()
    #expect(!isReady(watch.descriptor))
    #expect(!watch.receive())
  }

  // raise(3) sends to this very thread, the only one that blocks the signals here.
  @Test("signals arrive as events")
  func signals() throws {
    let signals = try Signals()
    #expect(signals.receive() == [])
    raise(SIGTERM)
    #expect(isReady(signals.descriptor))
    #expect(signals.receive() == [.stop])
    raise(SIGHUP)
    raise(SIGINT)
    #expect(signals.receive() == [.reload, .stop])
    raise(SIGPIPE)
    #expect(signals.receive() == [])
  }

  @Test("the poller names the descriptors that are ready, for reading, writing or hang-up")
  func poller() {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let both = [
      PollDescriptor(descriptor: ends[0]),
      PollDescriptor(descriptor: ends[1], wantsRead: false, wantsWrite: true),
    ]
    #expect(Poller.wait(both, timeout_ms: nil) == [ends[1]])
    write(ends[1], "x", 1)
    #expect(Poller.wait(both, timeout_ms: nil) == ends)
    var byte: UInt8 = 0
    read(ends[0], &byte, 1)
    close(ends[1])
    #expect(isReady(ends[0]))
    close(ends[0])
  }

  @Test("the poller comes back empty after its time")
  func pollerTimeout() {
    let before_ms = HostClock.now().boot_ms
    #expect(Poller.wait([], timeout_ms: 20) == [])
    #expect(HostClock.now().boot_ms >= before_ms + 20)
    #expect(Poller.wait([], timeout_ms: -5) == [])
  }
}

@Suite("The host's files, log and supervisor")
struct HostFileTests {
  private let folder = ScratchFolder()

  @Test("a status file is replaced whole: who reads the old one goes on reading it")
  func statusFile() throws {
    let path = folder.path + "/status.json"
    try StatusFile.write(path, "{\"old\":1}")
    let reader = open(path, O_RDONLY)
    defer { close(reader) }
    try StatusFile.write(path, "{}")
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(reader, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "{\"old\":1}")
    #expect(contents(of: path) == "{}")
    #expect(folder.names() == ["status.json"])
    var status = stat()
    stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o644)
  }

  @Test("a status file that cannot be written is an error that names the file, and leaves nothing behind")
  func statusFileErrors() throws {
    let missing = folder.path + "/missing/status.json"
    let error = failure(HostError.self) { try StatusFile.write(missing, "{}") }
    #expect(error?.description == "open \(missing).part: No such file or directory (errno 2)")

    let occupied = folder.path + "/folder"
    mkdir(occupied, 0o755)
    defer { rmdir(occupied) }
    #expect(throws: HostError.callFailed("rename", code: EISDIR, path: occupied)) {
      try StatusFile.write(occupied, "{}")
    }
    #expect(folder.names() == ["folder"])
  }

  @Test("what a power cut has left of a status file neither stays nor is in the way")
  func statusFileLeftOver() throws {
    for part in ["status.json.part", "status.json.part.part"] {
      close(creat(folder.path + "/" + part, 0o644))
    }
    try StatusFile.write(folder.path + "/status.json.part", "half")
    try StatusFile.write(folder.path + "/status.json", "{}")
    #expect(contents(of: folder.path + "/status.json") == "{}")
    #expect(folder.names() == ["status.json"])
  }

  @Test("what lies beside a person's file stays as it is, whatever its name")
  func neighbours() throws {
    let (page, other) = (folder.path + "/page.html", folder.path + "/other.html")
    try StatusFile.write(page + ".part", "theirs")
    mkdir(other + ".part", 0o755)
    defer { rmdir(other + ".part") }
    for path in [page, other] {
      try ReportFile.check(path)
      #expect(folder.names() == ["other.html.part", "page.html.part"])
    }
    for path in [page, other] {
      try ReportFile.write(path, "report")
      let edited = try EditedFile(path)
      try edited.replace(with: "changed", like: path)
      #expect(contents(of: path) == "changed")
    }
    #expect(contents(of: page + ".part") == "theirs")
    #expect(folder.names() == ["other.html", "other.html.part", "page.html", "page.html.part"])
  }

  @Test("a file that another command makes while this one waits for its turn is there when it comes")
  func turns() async throws {
    let (path, place) = (folder.path + "/fences.geojson", folder.path)
    let turn = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(flock(turn, LOCK_EX) == 0)
    let isNew = Task.detached { try EditedFile(path).isNew }
    var info = stat()
    try #require(stat(place, &info) == 0)
    for _ in 0..<18_000 where !isAwaited(info.st_ino) { try await Task.sleep(for: .milliseconds(10)) }
    try StatusFile.write(path, "theirs")
    close(turn)
    #expect(try await !isNew.value)
  }

  /// Somebody waits for the lock on that file (proc_locks(5)).
  private func isAwaited(_ inode: ino_t) -> Bool {
    guard let locks = try? OutsideFile.read("/proc/locks", limit_bytes: 1 << 20) else { return false }
    return String(decoding: locks, as: UTF8.self).split(separator: "\n").contains {
      $0.contains("-> FLOCK") && $0.contains(":\(inode) ")
    }
  }

  @Test("a report that cannot be written is an error that names it, and leaves nothing behind")
  func reportErrors() {
    let name = String(repeating: "x", count: 300)
    for path in ["\(folder.path)/missing/page.html", "\(folder.path)/\(name)"] {
      for attempt in [{ try ReportFile.check(path) }, { try ReportFile.write(path, "") }] {
        let error = failure(HostError.self, of: attempt)
        #expect(error?.description.hasPrefix("open \(path): ") == true, "\(String(describing: error))")
      }
    }
    #expect(folder.names() == [])
  }

  @Test("a second instance is refused, and hears who holds the lock")
  func lock() throws {
    let path = folder.path + "/queue.lock"
    var first: ProcessLock? = try ProcessLock(path: path)
    let error = failure(HostError.self) { try ProcessLock(path: path) }
    #expect(
      error?.description == """
        another godwit (process \(getpid())) holds \(path). \
        Stop it first: two would fight over the GPS and the queue.
        """)
    #expect(first != nil)
    first = nil
    _ = try ProcessLock(path: path)
  }

  @Test("log messages carry journald's level, one for each line, and nothing that steers a terminal")
  func log() {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let log = Log(level: .info, to: TextOutput(ends[1]))
    log.write(.error, "first\nsecond")
    log.write(.info, "bell \u{7} escape \u{1b}[2J é \u{9b}1m \u{202e}x")
    log.write(.debug, "not important enough")
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(ends[0], &bytes, bytes.count)
    close(ends[0])
    #expect(
      String(decoding: bytes.prefix(count), as: UTF8.self)
        == "<3>first\n<3>second\n<6>bell   escape  [2J é  1m  x\n")
  }

  @Test("systemd is notified of what happens, and nobody is without it")
  func supervisor() {
    Supervisor.ready()
    #expect(Supervisor.watchdogTimeout_ms == nil)
    let path = folder.path + "/notify"
    let socket = notifySocket(path)
    defer { close(socket) }
    setenv("NOTIFY_SOCKET", path, 1)
    defer { unsetenv("NOTIFY_SOCKET") }
    Supervisor.ready()
    Supervisor.status("moving\nsince 08:00")
    Supervisor.alive()
    Supervisor.working(most_s: 60)
    Supervisor.stopping()
    let messages = (0..<5).map { _ in
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
    let working = "WATCHDOG=1\nEXTEND_TIMEOUT_USEC=60000000"
    #expect(messages == ["READY=1", "STATUS=moving since 08:00", "WATCHDOG=1", working, "STOPPING=1"])
  }

  private func notifySocket(_ path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return descriptor
  }
}
