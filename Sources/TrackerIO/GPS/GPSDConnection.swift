import Glibc
import TrackerCore

/// What arrives from gpsd.
public enum GPSDEvent: Equatable {
  /// One for each TPV that has a mode. After a phase without fix gpsd sends two for one epoch.
  case report(GPSReport)
  /// The connection is gone, with the reason; `open()` makes a new one.
  case lost(String)
  /// Whether gpsd has the serial device open.
  case deviceActive(Bool)
  /// gpsd's own words about something that it could not do.
  case error(String)
}

/// A watch on gpsd's reports. While it is open, gpsd holds the serial port; while it is closed, it does not
/// (without its option `-n`).
///
/// libgps only decodes here (`gps_unpack`). Its `gps_open` blocks in connect(2), and so for two minutes on a gpsd
/// that hangs once its queue of connections is full: longer than the watchdog waits.
public final class GPSDConnection {
  /// Long enough for a gpsd on the next board, short enough for the loop.
  static let connectTimeout_ms = 2000
  /// A flood must not keep the loop from everything else; poll(2) reports what is left.
  private static let maxChunks = 16
  private static let chunkSize = 16 * 1024

  private let host: String
  private let port: Int
  private var socket: Int32?
  private var lines = LineBuffer()
  /// The last `receive` has left something.
  public private(set) var hasMore = false
  private var decoder: GPSDDecoder?

  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  deinit { close() }

  /// The socket to wait for; nil while closed.
  public var descriptor: Int32? { socket }

  /// Connects and asks for reports. Takes at most 2 s for each address of the host, and a host in figures
  /// (127.0.0.1) needs no look-up.
  public func open() throws(GPSDError) {
    close()
    decoder = try GPSDDecoder()
    let descriptor = try TCPConnect.open(host: host, port: port, timeout_ms: Self.connectTimeout_ms)
    socket = descriptor
    let request = "?WATCH={\"enable\":true,\"json\":true};\n"
    let (sent, code) = uninterrupted {
      send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL))
    }
    guard sent == request.utf8.count else {
      close()
      throw .watchFailed(host: host, port: port, code: code)
    }
  }

  /// Connects and goes: gpsd looks at its devices then. Whether it is there does not matter.
  public func touch() {
    guard let descriptor = try? TCPConnect.open(host: host, port: port, timeout_ms: Self.connectTimeout_ms)
    else { return }
    Glibc.close(descriptor)
  }

  /// Ends the watch. Nothing that has not been received yet will be.
  public func close() {
    if let socket { Glibc.close(socket) }
    socket = nil
    hasMore = false
    lines = LineBuffer()
    decoder = nil
  }

  /// Everything that has arrived, in order, without ever waiting. After `.lost` the connection is closed.
  public func receive() -> [GPSDEvent] {
    var events: [GPSDEvent] = []
    var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
    hasMore = false
    for _ in 0..<Self.maxChunks {
      guard let socket, let decoder else { break }
      let (count, code) = uninterrupted { recv(socket, &chunk, chunk.count, 0) }
      if count > 0 {
        events += decode(chunk[..<count], with: decoder)
      } else if count < 0 && (code == EAGAIN || code == EWOULDBLOCK) {
        return events
      } else {
        close()
        events.append(.lost(count == 0 ? "gpsd closed the connection" : "recv: \(systemWords(code))"))
        return events
      }
    }
    hasMore = socket != nil
    return events
  }

  private func decode(_ bytes: ArraySlice<UInt8>, with decoder: GPSDDecoder) -> [GPSDEvent] {
    let overlongBefore = lines.overlongLines
    var events = lines.take(bytes).compactMap(decoder.decode)
    if lines.overlongLines > overlongBefore {
      events.append(
        .error("gpsd sent a line of more than \(LineBuffer.longestLine) bytes, which was dropped"))
    }
    return events
  }
}
