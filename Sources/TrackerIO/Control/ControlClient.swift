import Glibc

/// The command's end of the control socket.
public enum ControlClient {
  /// Sends `line` to the agent that runs in `directory` and waits for its whole answer. Each wait for the
  /// agent lasts at most `timeout_s`.
  public static func ask(directory: String, line: String, timeout_s: Int = 10) throws(ControlError) -> String
  {
    let limit = ControlAddress.maxLine_bytes
    guard line.utf8.count <= limit else { throw .lineTooLong(limit: limit) }
    let descriptor = try ControlAddress.socket(nonBlocking: false)
    defer { close(descriptor) }
    var patience = timeval(tv_sec: timeout_s, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    let code = try ControlAddress.with(ControlAddress.path(in: directory)) { address, length in
      // A blocking connect on a Unix socket only waits for room in the queue, which SO_SNDTIMEO bounds.
      var result = connect(descriptor, address, length)
      while result != 0 && errno == EINTR { result = connect(descriptor, address, length) }
      return result
    }
    if code != 0 { throw .system("connect", errno: code) }
    try send(Array((line + "\n").utf8), to: descriptor)
    let answer = try receiveAll(from: descriptor)
    if answer == ControlSocket.busyAnswer { throw .busy }
    return answer
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) throws(ControlError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = ControlAddress.send(descriptor, rest)
      // An agent that is busy answers before it is asked, and closes.
      if count == -Int(EPIPE) || count == -Int(ECONNRESET) { return }
      guard count > 0 else { throw .system("send", errno: Int32(-count)) }
      rest = rest.dropFirst(count)
    }
  }

  private static func receiveAll(from descriptor: Int32) throws(ControlError) -> String {
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = ControlAddress.receive(descriptor, into: &buffer)
      let isEnd = count == 0 || (count == -Int(ECONNRESET) && !answer.isEmpty)
      guard count >= 0 || isEnd else { throw .system("recv", errno: Int32(-count)) }
      if isEnd { return String(decoding: answer, as: UTF8.self) }
      answer += buffer[..<count]
    }
  }
}
