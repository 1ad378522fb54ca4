import CHost
import Glibc
import Testing
import TrackerBase
import TrackerIO

/// A folder of one test, removed with its files at the end.
final class ScratchFolder {
  let path: String

  init() {
    var template = Array("/tmp/godwit-test-XXXXXX".utf8CString)
    path = String(cString: mkdtemp(&template))
  }

  deinit {
    for name in names() { unlink(path + "/" + name) }
    rmdir(path)
  }

  func names() -> [String] { fileNames(in: path) }
}

/// The text of a small file; nil if it cannot be read.
func contents(of path: String) -> String? {
  let descriptor = open(path, O_RDONLY)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = read(descriptor, &bytes, bytes.count)
  return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
}

/// The error that `body` throws. (`#expect(throws:)` gives it back only from Swift 6.1 on.)
func failure<Failure: Error>(_ type: Failure.Type, of body: () throws -> Any) -> Failure? {
  do {
    _ = try body()
    Issue.record("nothing was thrown")
  } catch let failure as Failure {
    return failure
  } catch {
    Issue.record(error)
  }
  return nil
}

/// Asks `isDone` again and again until it says yes; the limit only ends a test that has failed.
func waits(upTo seconds: Int = 200, for isDone: () -> Bool) -> Bool {
  let deadline_ms = HostClock.now().boot_ms + Int64(seconds) * 1000
  while HostClock.now().boot_ms < deadline_ms {
    if isDone() { return true }
    _ = Poller.wait([], timeout_ms: 10)
  }
  return isDone()
}

extension GPSDConnection {
  /// Whether a connection that was begun is open in the end.
  func becomesOpen() -> Bool {
    while !isOpen && !isClosed { _ = receive(ready: Poller.wait(descriptors, timeout_ms: 5000)) }
    return isOpen
  }

  /// What arrives until `isEnough`.
  func events(until isEnough: ([GPSDEvent]) -> Bool) -> [GPSDEvent] {
    var events: [GPSDEvent] = []
    _ = waits {
      let ready = isClosed ? [] : Poller.wait(descriptors, timeout_ms: 100)
      events += receive(ready: ready)
      return isEnough(events)
    }
    return events
  }
}

extension [GPSDEvent] {
  var reports: [GPSReport] { compactMap { if case .report(let report) = $0 { report } else { nil } } }
  var devices: [GPSDDevice] {
    compactMap { if case .devices(let devices, _) = $0 { devices } else { nil } }.flatMap { $0 }
  }
  var isLost: Bool { contains { if case .lost = $0 { true } else { false } } }
}

/// A TCP server on the loopback that lets everything wait in its queue until the test asks.
final class FakeGPSD {
  let port: Int
  private let listener: Int32
  private var peer: Int32 = -1

  init(queue: Int32 = 8) {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    port = listenOnFreePort(listener, queue: queue)
  }

  deinit {
    hangUp()
    close(listener)
  }

  func accept() { peer = Glibc.accept(listener, nil, nil) }

  func say(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// What the client has sent, without waiting.
  func hear() -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(peer, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  func hangUp() {
    if peer >= 0 { close(peer) }
    peer = -1
  }
}

private func listenOnFreePort(_ listener: Int32, queue: Int32) -> Int {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(listener, address, size)
      listen(listener, queue)
      getsockname(listener, address, &size)
    }
  }
  return Int(UInt16(bigEndian: address.sin_port))
}

/// A real gpsd that reads the pseudo-terminal which the test writes into.
final class RealGPSD {
  static let program = "/usr/sbin/gpsd"
  static var isInstalled: Bool { access(program, X_OK) == 0 }

  let port = freePort()
  private let folder = ScratchFolder()
  private let module: Int32
  private let tty: String
  private var process: pid_t = 0

  init() {
    var path = [CChar](repeating: 0, count: 64)
    module = chost_open_pty(&path, 64)
    tty = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    _ = fcntl(module, F_SETFL, O_NONBLOCK)
    start()
  }

  deinit {
    stop(SIGKILL)
    close(module)
  }

  func start() {
    let gpsd = [Self.program, "-N", "-b", "-n", "-S", "\(port)", "-F", folder.path + "/control", tty]
    let command = ownIPC + gpsd
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    // A child inherits the signal mask, and the threads that run tests block SIGTERM.
    var attributes = posix_spawnattr_t()
    var mask = sigset_t()
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn(&process, command[0], &files, &attributes, &arguments, environ)
    posix_spawn_file_actions_destroy(&files)
    posix_spawnattr_destroy(&attributes)
    arguments.forEach { free($0) }
  }

  func stop(_ signal: Int32) {
    guard process > 0 else { return }
    kill(process, signal)
    waitpid(process, nil, 0)
    process = 0
  }

  /// A connection, once gpsd has started to listen.
  func connect() -> GPSDConnection {
    let connection = GPSDConnection(host: "127.0.0.1", port: port)
    _ = waits { (try? connection.open()) != nil && connection.becomesOpen() }
    return connection
  }

  /// Plays one second after another from `start`, faster than a real module, until `isEnough`.
  /// What the module says while gpsd opens it is lost.
  ///
  /// - Parameter signals: of eight satellites, by the second; nil: as they always are.
  func play(
    from start: time_t, fix: Bool = true, rate_hz: Int = 1, to connection: GPSDConnection,
    signals: (Int) -> [Int]? = { _ in nil },
    until isEnough: ([GPSDEvent]) -> Bool
  ) -> [GPSDEvent] {
    var epoch = 0
    return connection.events { events in
      let hundredths = epoch % rate_hz * 100 / rate_hz
      let second = epoch / rate_hz
      let sentences = nmea(
        second: second, of: start, hundredths: hundredths, fix: fix, signals: signals(second))
      write(Array(sentences.utf8))
      epoch += 1
      return isEnough(events)
    }
  }

  /// Onto the serial line. What gpsd does not take within a second is lost.
  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    var probes = [UInt8](repeating: 0, count: 4096)
    _ = waits(upTo: 1) {
      // What gpsd asks the module goes nowhere.
      _ = read(module, &probes, probes.count)
      let sent = rest.withUnsafeBytes { Glibc.write(module, $0.baseAddress, $0.count) }
      if sent > 0 { rest = rest.dropFirst(sent) }
      return rest.isEmpty
    }
  }
}

/// One second of a module's output at a fixed place: 47.5° N, 8.5° E, 410 m, 20 knots to the north-east.
func nmea(
  second: Int, of start: time_t, hundredths: Int = 0, fix: Bool = true, signals: [Int]? = nil
) -> String {
  let sentences =
    fix
    ? [
      "GPGGA,TIME,PLACE,1,08,0.9,410.0,M,47.0,M,,",
      "GPGSA,A,3,03,07,11,14,19,22,28,30,,,,,1.6,0.9,1.3",
      "GPGSV,2,1,08,03,65,120,42,07,40,210,38,11,22,300,33,14,55,030,41",
      "GPGSV,2,2,08,19,70,080,44,22,15,250,29,28,35,160,36,30,48,330,40",
      "GPRMC,TIME,A,PLACE,20.00,45.00,DATE,,,A",
    ]
    : [
      "GPGGA,TIME,,,,,0,00,99.9,,,,,,",
      "GPGSA,A,1,,,,,,,,,,,,,99.9,99.9,99.9",
      "GPRMC,TIME,V,,,,,,,DATE,,,N",
    ]
  let others = signals == nil ? sentences : sentences.filter { !$0.hasPrefix("GPGSV") }
  return nmea(others + (signals.map(inView) ?? []), second: second, of: start, hundredths: hundredths)
}

/// Eight satellites: 0 is one that is where it should be, and not heard.
private func inView(_ signals: [Int]) -> [String] {
  (0..<2).map { half in
    let satellites = (half * 4..<half * 4 + 4).map { index in
      "\(index + 11),45,\(100 + index * 20),\(signals[index] == 0 ? "" : "\(signals[index])")"
    }
    return "GPGSV,2,\(half + 1),08,\(satellites.joined(separator: ","))"
  }
}

/// The sentences with time, date and place in place of `TIME`, `DATE` and `PLACE`, framed.
func nmea(_ sentences: [String], second: Int, of start: time_t, hundredths: Int = 0) -> String {
  var time = start + second
  var utc = tm()
  gmtime_r(&time, &utc)
  let hms =
    [utc.tm_hour, utc.tm_min, utc.tm_sec].map(twoDigits).joined() + "." + twoDigits(Int32(hundredths))
  let date = [utc.tm_mday, utc.tm_mon + 1, utc.tm_year % 100].map(twoDigits).joined()
  let words = ["TIME": hms, "DATE": date, "PLACE": "4730.00000,N,00830.00000,E"]
  return sentences.map { sentence in
    let fields = sentence.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    let filled = fields.map { words[$0] ?? $0 }.joined(separator: ",")
    return "$\(filled)*\(checksum(filled))\r\n"
  }.joined()
}

private func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

private func checksum(_ sentence: String) -> String {
  let sum = sentence.utf8.reduce(0, ^)
  return (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true)
}
