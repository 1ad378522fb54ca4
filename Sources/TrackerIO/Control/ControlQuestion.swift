import Glibc

/// A question whose answer may take minutes, for whoever has other things to do meanwhile.
public final class ControlQuestion {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var isWhole = false

  public init(directory: String, line: String) throws(ControlError) {
    let descriptor = try ControlAddress.socket(nonBlocking: false)
    do throws(ControlError) {
      let code = try ControlAddress.with(ControlAddress.path(in: directory)) { address, length in
        connect(descriptor, address, length)
      }
      if code != 0 { throw .system("connect", errno: code) }
      let question = Array((line + "\n").utf8)
      let sent = ControlAddress.send(descriptor, question[...])
      guard sent == question.count else {
        throw .system("send", errno: Int32(sent < 0 ? -sent : Int(EAGAIN)))
      }
    } catch {
      close(descriptor)
      throw error
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// nil while there is none; empty where the agent has ended without one.
  public func answer() -> String? {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while !isWhole {
      let count = ControlAddress.receive(descriptor, into: &buffer)
      if count == -Int(EAGAIN) { return nil }
      if count > 0 { bytes += buffer[..<count] } else { isWhole = true }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
