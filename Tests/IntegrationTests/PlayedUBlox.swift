import Foundation

/// A u-blox receiver on a pseudo-terminal that stands at one place and keeps a dynamic model, while the test plays it.
final class PlayedUBlox {
  var path: String { terminal.path }
  private(set) var model: UInt8 = 0
  /// How often it was set.
  private(set) var timesSet = 0
  private let generation: Int
  private let terminal = PlayedTerminal()
  private var second = 0
  private var heard: [UInt8] = []

  /// - Parameter generation: 8 knows UBX-CFG-NAV5, 10 UBX-CFG-VALSET and VALGET.
  init(generation: Int) {
    self.generation = generation
  }

  /// Its power was off and is on again.
  func forget() { model = 0 }

  func play() {
    listen()
    let now = Int(Date().timeIntervalSince1970)
    guard now != second else { return }
    second = now
    say(0x01, 0x07, position(now))
  }

  private func listen() {
    while case let bytes = terminal.read(), !bytes.isEmpty { heard += bytes }
    while let start = heard.indices.first(where: { heard[$0...].starts(with: [0xB5, 0x62]) }) {
      heard.removeFirst(start)
      guard heard.count >= 8 else { return }
      let length = Int(heard[4]) + Int(heard[5]) << 8
      guard heard.count >= length + 8 else { return }
      answer(heard[2], heard[3], Array(heard[6..<(6 + length)]))
      heard.removeFirst(length + 8)
    }
  }

  private func answer(_ messageClass: UInt8, _ id: UInt8, _ payload: [UInt8]) {
    let key: [UInt8] = [0x21, 0x00, 0x11, 0x20]
    switch (messageClass, id, generation) {
    case (0x0A, 0x04, _): say(0x0A, 0x04, version)
    case (0x06, 0x8A, 10) where payload.dropFirst(4).starts(with: key) && payload.count == 9:
      set(payload[8])
      acknowledge(id)
    case (0x06, 0x8B, 10) where payload.dropFirst(4).starts(with: key):
      say(0x06, 0x8B, [1, 0, 0, 0] + key + [model])
      acknowledge(id)
    case (0x06, 0x24, 8) where payload.count == 36 && payload[0] & 1 == 1:
      set(payload[2])
      acknowledge(id)
    case (0x06, 0x24, 8) where payload.isEmpty:
      say(0x06, 0x24, [0xFF, 0xFF, model] + [UInt8](repeating: 0, count: 33))
      acknowledge(id)
    case (0x06, _, _): say(0x05, 0x00, [messageClass, id])
    default: break
    }
  }

  private func set(_ new: UInt8) {
    model = new
    timesSet += 1
  }

  private func acknowledge(_ id: UInt8) { say(0x05, 0x01, [0x06, id]) }

  private var version: [UInt8] {
    func field(_ text: String, _ size: Int) -> [UInt8] {
      Array(text.utf8) + [UInt8](repeating: 0, count: size - text.utf8.count)
    }
    let protocolVersion = generation == 8 ? 18 : 34
    return field("ROM CORE", 30) + field("00080000", 10) + field("PROTVER=\(protocolVersion).00", 30)
  }

  /// UBX-NAV-PVT: 3D, 9 satellites, 47.5° N, 8.5° E, 3 m.
  private func position(_ now: Int) -> [UInt8] {
    var (time, utc) = (time_t(now), tm())
    gmtime_r(&time, &utc)
    var payload = [UInt8](repeating: 0, count: 92)
    func put(_ value: Int, at offset: Int, bytes: Int) {
      for index in 0..<bytes { payload[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }
    put(now % 604_800 * 1000, at: 0, bytes: 4)
    put(Int(utc.tm_year) + 1900, at: 4, bytes: 2)
    for (offset, part) in [utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec].enumerated() {
      put(Int(part), at: 6 + offset, bytes: 1)
    }
    put(7, at: 11, bytes: 1)
    put(50, at: 12, bytes: 4)
    (payload[20], payload[21], payload[23]) = (3, 1, 9)
    for (index, value) in [85_000_000, 475_000_000, 450_000, 400_000, 3000, 4000].enumerated() {
      put(value, at: 24 + 4 * index, bytes: 4)
    }
    return payload
  }

  private func say(_ messageClass: UInt8, _ id: UInt8, _ payload: [UInt8]) {
    let body = [messageClass, id, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)] + payload
    var (a, b): (UInt8, UInt8) = (0, 0)
    for byte in body {
      a &+= byte
      b &+= a
    }
    let frame = [0xB5, 0x62] + body + [a, b]
    terminal.write(frame)
  }
}
