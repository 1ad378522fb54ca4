import Glibc

/// The power line of the module: a file that holds `1` or `0`, watched with inotify.
struct PowerLine {
  /// Readable when something in the file's folder has changed.
  let descriptor: Int32
  private let path: String

  init(path: String) throws {
    self.path = path
    descriptor = try checked("inotify_init1") { inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC)) }
    // The folder, not the file: the file may come later, or be replaced by a rename.
    let folder = PowerLine.folder(of: path)
    let events = UInt32(IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
    let watch = descriptor
    try checked("inotify_add_watch", folder, advice: "the folder of --power-file must exist") {
      inotify_add_watch(watch, folder, events)
    }
  }

  /// Takes the pending events off the descriptor.
  func clearEvents() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return }
    }
  }

  /// The level. A missing file is off. Nil while the file is empty: it is just being rewritten, and another
  /// event will come.
  func level() throws -> Bool? {
    var file: Int32 = -1
    repeat { file = open(path, O_RDONLY | O_CLOEXEC) } while file < 0 && errno == EINTR
    if file < 0 {
      let code = errno
      if code == ENOENT { return false }
      throw FeederError(call: "open", path: path, code: code, advice: "it is the --power-file")
    }
    defer { close(file) }
    var first: UInt8 = 0
    let count = try checked("read", path) { read(file, &first, 1) }
    return count == 0 ? nil : first == UInt8(ascii: "1")
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
