import Glibc
import TrackerBase
import TrackerWire

/// A receiver, as gpsd has it.
public struct GPSDDevice: Equatable {
  public var path: String
  /// What gpsd takes it for; nil before it has found out.
  public var driver: String?
  public var isOpen: Bool
}

/// What arrives from gpsd.
public enum GPSDEvent: Equatable {
  /// One for each TPV that has a mode. After a phase without fix gpsd sends two for one epoch.
  case report(GPSReport)
  /// The connection is gone, with the reason; `open()` makes a new one.
  case lost(String)
  /// Some of gpsd's devices, or all of them.
  case devices([GPSDDevice], areAll: Bool)
  /// A frame of a receiver's own binary protocol, after `hearFrames`. gpsd does not say of which one.
  case frame([UInt8])
  /// gpsd could not do something, or sent what cannot be read.
  case error(GPSDComplaint)
}

/// What gpsd's ERROR reports are about. Their own words go nowhere: they repeat what was sent to gpsd, and that may hold
/// a position.
public enum GPSDComplaint: String, Hashable, Sendable, CaseIterable {
  case request = "gpsd does not know a request that it was sent"
  case device = "gpsd cannot open or use its device: journalctl -u gpsd says why"
  case other = "gpsd reports an error: journalctl -u gpsd says which"
  case overlongLine = "gpsd sent a line that is too long to be a report, which was dropped"

  /// By the words with which the messages of gpsd's own source (3.20 to 3.26) begin.
  init(message: String) {
    let message = message.lowercased()
    if ["unrecognized request", "invalid ", "can't parse", "cannot parse"].contains(where: message.hasPrefix)
    {
      self = .request
    } else if message.contains("device") || message.hasPrefix("can't open")
      || message.hasPrefix("can't perform")
    {
      self = .device
    } else {
      self = .other
    }
  }
}

/// A watch on gpsd's reports. While it is open, gpsd holds the serial port; while it is closed, it does not
/// (without its option `-n`).
///
/// Nothing here waits: neither for name servers, if the host has a name, nor for gpsd to take the connection.
///
/// libgps only decodes here (`gps_unpack`). Its `gps_open` blocks in connect(2), and so for two minutes on a gpsd
/// that hangs once its queue of connections is full: longer than the watchdog waits.
public final class GPSDConnection {
  private enum State {
    case closed
    case lookingUp(NameLookUp)
    case connecting(TCPConnect)
    case open(Int32)
  }

  /// Long enough for a gpsd on the next board. For each address.
  static let connectTimeout_ms = 2000
  static let lookUpTimeout_ms: Int64 = 10_000
  private static let watch = "?WATCH={\"enable\":true,\"json\":true};\n"
  /// A flood must not keep the loop from everything else; poll(2) reports what is left.
  private static let maxChunks = 16
  private static let chunkSize = 16 * 1024

  private let host: String
  private let port: Int
  private let connectTimeout_ms: Int
  private let nameServers: String
  private var state = State.closed
  private var isTouch = false
  /// What is asked for once connected.
  private var request = GPSDConnection.watch
  /// For the time limits of what comes before the connection is open.
  private var timer: BootTimer?
  private var lines = LineBuffer()
  private var chunk = [UInt8](repeating: 0, count: GPSDConnection.chunkSize)
  /// The last `receive` has left something.
  public private(set) var hasMore = false
  private var decoder: GPSDDecoder?
  /// Each line as gpsd sent it, before what it says comes as an event; for who records it.
  public var heard: (([UInt8]) -> Void)?

  public convenience init(host: String, port: Int) {
    self.init(host: host, port: port, connectTimeout_ms: Self.connectTimeout_ms)
  }

  /// - Parameter nameServers: in place of those of /etc/resolv.conf, for tests: `address:port,…`.
  init(host: String, port: Int, connectTimeout_ms: Int, nameServers: String = "") {
    self.host = host
    self.port = port
    self.connectTimeout_ms = connectTimeout_ms
    self.nameServers = nameServers
  }

  deinit { close() }

  /// What to wait for; nothing while closed.
  public var descriptors: [PollDescriptor] {
    let timers = timer.map { [PollDescriptor(descriptor: $0.descriptor)] } ?? []
    switch state {
    case .closed: return []
    case .lookingUp(let lookUp): return lookUp.descriptors + timers
    case .connecting(let attempt): return attempt.descriptors + timers
    case .open(let socket): return [PollDescriptor(descriptor: socket)]
    }
  }

  public var isOpen: Bool { if case .open = state { true } else { false } }
  public var isClosed: Bool { if case .closed = state { true } else { false } }

  /// Begins to connect, and asks for reports once connected. What fails later comes as `.lost` from `receive`.
  public func open() throws(GPSDError) {
    (isTouch, request) = (false, GPSDConnection.watch)
    try begin()
  }

  /// Connects, and asks for the list of gpsd's devices alone: gpsd opens none for that.
  public func openForList() throws(GPSDError) {
    (isTouch, request) = (false, "?DEVICES;\n")
    try begin()
  }

  /// Connects and goes: gpsd looks at its devices then. Whether it is there does not matter.
  public func touch() {
    isTouch = true
    try? begin()
  }

  /// Ends the watch. Nothing that has not been received yet will be.
  public func close() {
    if case .open(let socket) = state { Glibc.close(socket) }
    state = .closed
    timer = nil
    hasMore = false
    lines = LineBuffer()
    decoder = nil
  }

  // MARK: Connecting

  private func begin() throws(GPSDError) {
    close()
    decoder = try GPSDDecoder()
    do throws(HostError) { timer = try BootTimer() } catch { throw .timerFailed("\(error)") }
    if let addresses = KnownAddresses.of(host) {
      connect(to: addresses)
    } else {
      do throws(NameError) {
        state = .lookingUp(
          try NameLookUp(host, timeout_ms: Self.lookUpTimeout_ms, servers: nameServers))
      } catch {
        close()
        throw notFound(error)
      }
    }
    try proceed(ready: [])
  }

  private func connect(to addresses: [String]) {
    state = .connecting(
      TCPConnect(host: host, port: port, addresses: addresses, timeout_ms: connectTimeout_ms))
  }

  private func notFound(_ fault: NameError) -> GPSDError {
    .hostNotFound(host: host, reason: fault.words(host: host))
  }

  /// Goes on until the connection is open, as far as is possible now.
  private func proceed(ready: [Int32]) throws(GPSDError) {
    timer?.acknowledge()
    do throws(GPSDError) {
      if case .lookingUp(let lookUp) = state, let outcome = lookUp.drive(ready: ready) {
        switch outcome {
        case .success(let addresses): connect(to: addresses)
        case .failure(let fault): throw notFound(fault)
        }
      }
      if case .connecting(let attempt) = state, let outcome = attempt.proceed() {
        switch outcome {
        case .connected(let socket): try connected(socket)
        case .failed(let error): throw error
        }
      }
      try arm()
    } catch {
      close()
      throw error
    }
  }

  /// For whatever is next.
  private func arm() throws(GPSDError) {
    let at_ms: Int64
    switch state {
    case .closed, .open:
      timer = nil
      return
    case .lookingUp(let lookUp): at_ms = HostClock.now().boot_ms + Int64(lookUp.timeout_ms)
    case .connecting(let attempt): at_ms = attempt.ends_ms
    }
    do throws(HostError) { try timer?.arm(at: at_ms) } catch { throw .timerFailed("\(error)") }
  }

  private func connected(_ socket: Int32) throws(GPSDError) {
    state = .open(socket)
    if isTouch { return close() }
    let (isSent, code) = ask(request, socket)
    if !isSent { throw .watchFailed(host: host, port: port, code: code) }
  }

  private func ask(_ request: String, _ socket: Int32) -> (isSent: Bool, code: Int32) {
    let (sent, code) = uninterrupted {
      Glibc.send(socket, request, request.utf8.count, Int32(MSG_NOSIGNAL))
    }
    return (sent == request.utf8.count, code)
  }

  // MARK: Receivers' own protocols

  /// gpsd is to show the frames of binary protocols, or no longer.
  public func hearFrames(_ on: Bool) {
    guard case .open(let socket) = state else { return }
    _ = ask("?WATCH={\"enable\":true,\"json\":true,\"raw\":\(on ? 1 : 0)};\n", socket)
  }

  /// Has gpsd send `frames` to a receiver as they are. Neither gpsd nor this says whether they got there.
  public func send(_ frames: [UInt8], to device: String) {
    guard case .open(let socket) = state else { return }
    let request = JSONWriter.object { json in
      json.member("path", device)
      json.member("hexdata", hex(frames))
    }
    _ = ask("?DEVICE=\(request);\n", socket)
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { SettingText.hex(UInt64($0), digits: 2) }.joined()
  }

  // MARK: Reports

  /// Everything that has arrived, in order, without ever waiting. After `.lost` the connection is closed.
  ///
  /// - Parameter ready: the descriptors that are; those of others are passed over.
  public func receive(ready: [Int32]) -> [GPSDEvent] {
    switch state {
    case .closed: return []
    case .open: return received()
    case .lookingUp, .connecting:
      do throws(GPSDError) { try proceed(ready: ready) } catch {
        return isTouch ? [] : [.lost("\(error)")]
      }
      return []
    }
  }

  private func received() -> [GPSDEvent] {
    var events: [GPSDEvent] = []
    hasMore = false
    for _ in 0..<Self.maxChunks {
      guard case .open(let socket) = state, let decoder else { break }
      let (count, code) = uninterrupted { recv(socket, &chunk, Self.chunkSize, 0) }
      if count > 0 {
        events += decode(chunk[..<count], with: decoder)
        // That was all; what comes meanwhile wakes the loop again.
        if count < Self.chunkSize { return events }
      } else if count < 0 && (code == EAGAIN || code == EWOULDBLOCK) {
        return events
      } else {
        close()
        events.append(.lost(count == 0 ? "gpsd closed the connection" : "recv: \(systemWords(code))"))
        return events
      }
    }
    if case .open = state { hasMore = true }
    return events
  }

  private func decode(_ bytes: ArraySlice<UInt8>, with decoder: GPSDDecoder) -> [GPSDEvent] {
    let overlongBefore = lines.overlongLines
    let whole = lines.take(bytes)
    if let heard { whole.forEach(heard) }
    var events = whole.compactMap(decoder.decode)
    if lines.overlongLines > overlongBefore {
      events.append(.error(.overlongLine))
    }
    return events
  }
}
