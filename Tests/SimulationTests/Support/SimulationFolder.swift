import Foundation

/// Where the queue file lives; in memory where the machine has such a place. Memory is all that a board has, so nothing
/// stays there: a day removes its folder with whatever salvage set aside in it, and each run those of runs that were
/// killed.
final class SimulationFolder {
  /// A file of the queue, by what its name has at the end.
  enum File: String, CaseIterable {
    case database = ""
    case log = "-wal"
  }

  private let path: String
  private var generation = 0
  var queue: String { "\(path)/\(generation)/queue.db" }

  init() {
    path = SimulationFolder.made("\(SimulationFolder.ofRun)/day-XXXXXX")
    mkdir("\(path)/0", 0o700)
  }

  deinit { SimulationFolder.remove(path) }

  /// The files as a killed process leaves them: before the connection can tidy up.
  func keepAsKilled() {
    let (old, new) = ("\(path)/\(generation)", "\(path)/\(generation + 1)")
    mkdir(new, 0o700)
    for name in SimulationFolder.files where access("\(old)/\(name)", F_OK) == 0 {
      try? FileManager.default.copyItem(atPath: "\(old)/\(name)", toPath: "\(new)/\(name)")
    }
    SimulationFolder.remove(old)
    generation += 1
  }

  /// - Returns: whether there was anything in it.
  func empty(_ file: File) -> Bool {
    var status = stat()
    guard stat(queue + file.rawValue, &status) == 0, status.st_size > 0 else { return false }
    return truncate(queue + file.rawValue, 0) == 0
  }

  private static let files =
    File.allCases.map { "queue.db" + $0.rawValue } + ["queue.db.state"]

  private static func made(_ pattern: String) -> String {
    var template = Array(pattern.utf8CString)
    return template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
  }

  private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}

/// The folder of all days of this run.
extension SimulationFolder {
  private static let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
  private static let prefix = "godwit-simulation-"

  /// Whoever lives holds the lock of its folder.
  private static let ofRun: String = {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    where name.hasPrefix(prefix) {
      if let dead = locked("\(parent)/\(name)") {
        remove("\(parent)/\(name)")
        close(dead)
      }
    }
    // Another run may take it for a dead one's before it has its lock.
    var path = made("\(parent)/\(prefix)XXXXXX")
    while locked(path) == nil || access(path, F_OK) != 0 { path = made("\(parent)/\(prefix)XXXXXX") }
    atexit { SimulationFolder.remove(SimulationFolder.ofRun) }
    return path
  }()

  /// The descriptor that holds it; nil where another process has the lock, or where there is no folder.
  private static func locked(_ folder: String) -> Int32? {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
    close(descriptor)
    return nil
  }
}
