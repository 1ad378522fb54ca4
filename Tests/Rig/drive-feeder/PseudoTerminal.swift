import CFeeder
import Glibc

/// The module's serial line: the master of a pty pair, and a symbolic link that names its slave.
struct PseudoTerminal {
  let master: Int32
  /// `/dev/pts/N`
  let device: String
  let link: String

  /// Opens the pair and puts `link` in place of whatever symbolic link was there.
  init(link: String) throws {
    var name = [CChar](repeating: 0, count: 128)
    var failedCall: UnsafePointer<CChar>?
    master = feeder_open_pty(&name, name.count, &failedCall)
    if master < 0 {
      let code = errno
      throw FeederError(call: failedCall.map { String(cString: $0) } ?? "openpty", code: code)
    }
    device = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    self.link = link
    try placeLink()
  }

  private func placeLink() throws {
    var status = stat()
    if lstat(link, &status) == 0, status.st_mode & S_IFMT != S_IFLNK {
      let advice = "it is not a symbolic link and stays as it is: name another --link"
      throw FeederError(call: "link", path: link, code: EEXIST, advice: advice)
    }
    let temporary = "\(link).\(getpid())"
    unlink(temporary)
    try checked("symlink", temporary, advice: "does the folder exist?") { symlink(device, temporary) }
    try checked("rename", link) { rename(temporary, link) }
  }

  /// Removes the link if it is still this module's.
  func removeLink() {
    var target = [CChar](repeating: 0, count: 256)
    let count = readlink(link, &target, target.count - 1)
    guard count > 0, target.withUnsafeBufferPointer({ String(cString: $0.baseAddress!) }) == device else {
      return
    }
    unlink(link)
  }

  /// Whether somebody has the device open.
  var isOpen: Bool {
    var descriptor = pollfd(fd: master, events: 0, revents: 0)
    return poll(&descriptor, 1, 0) == 0
  }

  /// Writes what the line takes and returns how much that was. As with a UART, what nobody reads is gone: with
  /// the device closed nothing is taken, so that the next reader does not get old sentences.
  func write(_ bytes: [UInt8]) -> Int {
    guard isOpen else { return 0 }
    var taken = 0
    while taken < bytes.count {
      let count = bytes[taken...].withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // EAGAIN: the reader sleeps and its buffer is full. EIO: it has just closed the device.
      if count <= 0 { return taken }
      taken += count
    }
    return taken
  }

  /// Throws away what the reader sends to the module (gpsd's probes).
  func drain() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(master, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return }
    }
  }
}
