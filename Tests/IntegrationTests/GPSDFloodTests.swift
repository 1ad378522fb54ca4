import Foundation
import Glibc
import Testing

/// The running agent on a gpsd that sends garbage without end.
@Suite("A gpsd that sends garbage", .serialized)
struct GPSDFloodTests {
  private static let piece = 1 << 16
  /// Of each kind.
  private static let warmUp = 2 << 20
  private static let flood = 16 << 20
  private static let mostGrowth_kb = 4096

  /// A whole number of lines in `piece` bytes, or none at all.
  private static let kinds: [(name: String, piece: [UInt8])] = [
    ("random bytes", random(seed: 7)),
    ("a line without end", [UInt8](repeating: UInt8(ascii: "x"), count: piece)),
    (
      "objects of an unknown class",
      repeated(#"{"class":"NEWS","lat":1.5,"list":[1,2,{"a":"b"}],"text":"nothing"}"#)
    ),
    ("reports cut short", repeated(#"{"class":"TPV","mode":3,"lat":47.5,"lon":8"#)),
  ]

  @Test("the memory of the agent does not grow, it answers meanwhile, and the next good report counts")
  func memory() async throws {
    let rig = try Rig()
    let gpsd = try FloodingGPSD()
    (rig.gpsdPort, rig.url) = (gpsd.port, "")
    try await rig.startAgent("")
    let agent = try #require(rig.processID("agent"))
    for kind in Self.kinds { try gpsd.send(Self.warmUp, of: kind.piece) }
    let before_kb = try memory_kb(of: agent)
    var grown: [String] = []
    for kind in Self.kinds {
      try gpsd.send(Self.flood, of: kind.piece)
      #expect(rig.status() != nil, "no answer during \(kind.name)")
      grown.append("\(kind.name) \(try memory_kb(of: agent) - before_kb) kB")
    }
    print("memory of the agent, \(before_kb) kB, after 16 MB more each: \(grown.joined(separator: ", "))")
    #expect(try memory_kb(of: agent) - before_kb < Self.mostGrowth_kb)
    try await rig.wait(until: "a good report counts") {
      let time = ISO8601DateFormatter().string(from: Date())
      let report = #"{"class":"TPV","mode":3,"time":"\#(time)","lat":47.5,"lon":8.5,"eph":5.0}"#
      try gpsd.send(Array("\n\(report)\n".utf8))
      return ((rig.status()?["gps"] as? [String: Any])?["fixes"] as? Int ?? 0) > 0
    }
    #expect(try await rig.end("agent") == 0)
  }

  private func memory_kb(of process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
  }

  private static func repeated(_ line: String) -> [UInt8] {
    let bytes = Array("\(line)\n".utf8)
    return Array(repeatElement(bytes, count: piece / bytes.count).joined())
  }

  private static func random(seed: UInt64) -> [UInt8] {
    var state = seed
    return (0..<piece).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
  }
}

/// A TCP server in gpsd's place. An agent that hangs up, as after a silence, is taken again.
final class FloodingGPSD {
  let port: Int
  private let listener: Int32
  private var peer: Int32 = -1

  init() throws {
    (listener, port) = try listenOnLoopback()
    // What waits longer has failed.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    if peer >= 0 { close(peer) }
    close(listener)
  }

  /// So many bytes and more, the piece again and again.
  func send(_ count: Int, of piece: [UInt8]) throws {
    for _ in 0..<((count + piece.count - 1) / piece.count) { try send(piece) }
  }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      if peer < 0 { try accept() }
      let sent = rest.withUnsafeBytes { Glibc.send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if sent > 0 {
        rest = rest.dropFirst(sent)
      } else if errno == EPIPE || errno == ECONNRESET {
        close(peer)
        peer = -1
      } else if errno != EINTR {
        throw RigError.socket(errno)
      }
    }
  }

  private func accept() throws {
    peer = Glibc.accept(listener, nil, nil)
    guard peer >= 0 else { throw RigError.socket(errno) }
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }
}
