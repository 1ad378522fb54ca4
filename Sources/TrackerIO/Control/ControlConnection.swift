import Glibc
import TrackerBase

/// One client of the control socket.
struct ControlConnection {
  enum State: Equatable {
    /// Its line is not whole yet.
    case reading([UInt8], deadline_ms: Int64)
    /// The agent has the line.
    case waiting
    /// The rest of the answer.
    case writing(ArraySlice<UInt8>, deadline_ms: Int64)
    case finished
  }

  let id: Int
  let descriptor: Int32
  private(set) var state: State

  init(id: Int, descriptor: Int32, deadline_ms: Int64) {
    self.id = id
    self.descriptor = descriptor
    state = .reading([], deadline_ms: deadline_ms)
  }

  var isFinished: Bool { state == .finished }

  var isReading: Bool { if case .reading = state { true } else { false } }

  var deadline_ms: Int64? {
    switch state {
    case .reading(_, let deadline_ms), .writing(_, let deadline_ms): deadline_ms
    case .waiting, .finished: nil
    }
  }

  var poll: PollDescriptor? {
    switch state {
    case .reading: PollDescriptor(descriptor: descriptor)
    case .writing: PollDescriptor(descriptor: descriptor, wantsRead: false, wantsWrite: true)
    case .waiting, .finished: nil
    }
  }

  /// The descriptor is ready. Returns the line once it is whole.
  mutating func proceed() -> String? {
    switch state {
    case .reading(let line, let deadline_ms): return read(line, deadline_ms: deadline_ms)
    case .writing(let rest, let deadline_ms): write(rest, deadline_ms: deadline_ms)
    case .waiting, .finished: break
    }
    return nil
  }

  mutating func answer(_ bytes: [UInt8], deadline_ms: Int64) {
    guard case .waiting = state else { return }
    write(bytes[...], deadline_ms: deadline_ms)
  }

  private mutating func read(_ line: [UInt8], deadline_ms: Int64) -> String? {
    var buffer = [UInt8](repeating: 0, count: ControlAddress.maxLine_bytes + 1)
    let count = ControlAddress.receive(descriptor, into: &buffer)
    if count == -Int(EAGAIN) { return nil }
    guard count > 0 else {
      state = .finished
      return nil
    }
    let longer = line + buffer[..<count]
    let end = longer.firstIndex(of: UInt8(ascii: "\n"))
    guard (end ?? longer.count) <= ControlAddress.maxLine_bytes else {
      state = .waiting
      answer(Array("error: the line is too long\n".utf8), deadline_ms: deadline_ms)
      return nil
    }
    guard let end else {
      state = .reading(longer, deadline_ms: deadline_ms)
      return nil
    }
    state = .waiting
    return String(decoding: longer[..<end], as: UTF8.self)
  }

  private mutating func write(_ rest: ArraySlice<UInt8>, deadline_ms: Int64) {
    let count = rest.isEmpty ? 0 : ControlAddress.send(descriptor, rest)
    guard count >= 0 || count == -Int(EAGAIN) else {
      state = .finished
      return
    }
    let left = rest.dropFirst(max(0, count))
    state = left.isEmpty ? .finished : .writing(left, deadline_ms: deadline_ms)
  }
}
