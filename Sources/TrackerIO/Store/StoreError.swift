import Glibc

/// What can go wrong with the queue file. `call` is the C function and what it was about; `code` and `words`
/// are SQLite's or the system's. No value of any row is ever in a message.
public enum StoreError: Error, Equatable {
  /// The folder or the file cannot be made, opened or renamed.
  case open(call: String, code: Int32, words: String)
  /// SQLite does not take a statement: the library is too old, or the file's tables are not ours.
  case prepare(call: String, code: Int32, words: String)
  /// Any failure of a statement that has no case of its own, such as an I/O error.
  case step(call: String, code: Int32, words: String)
  case full(call: String, code: Int32, words: String)
  case readOnly(call: String, code: Int32, words: String)
  case corrupt(call: String, code: Int32, words: String)
  /// Another process has the file.
  case busy(call: String, code: Int32, words: String)
  /// SQLite would not set a mode on which the promise of the queue rests.
  case refused(setting: String, wanted: String, got: String)
  case newerVersion(found: Int, known: Int)
  case foreignFile(applicationID: Int32)
  /// It holds no queue, or a damaged one, and whoever looks does not mend it.
  case notAQueue(path: String)
  /// The files were closed after a failure, whose words these are.
  case closed(after: String)
  /// Something else than a file stands where one of the queue's is expected.
  case notAFile(OutsideFileError)

  /// The storage fails, rather than the file or its owner.
  var isOfFailingStorage: Bool {
    // EFBIG: a limit on the size of files, which stops every write as a full disk does.
    let codes = [EFBIG, EROFS, EIO, ENXIO, ENODEV, ENOTCONN, ETIMEDOUT, EUCLEAN, ESHUTDOWN, ESTALE]
    switch self {
    case .step(_, let code, _): return StoreError.isInputOutput(code) || codes.contains(code)
    case .open(_, let code, _), .readOnly(_, let code, _): return codes.contains(code)
    // Whoever put it there may take it away: until then it is as if nothing could be written.
    case .notAFile: return true
    case .prepare, .full, .corrupt, .busy, .refused, .newerVersion, .foreignFile, .notAQueue, .closed:
      return false
    }
  }

  /// There is no room for a file that is missing. (What is there has its blocks.)
  var isOfFullDisk: Bool {
    switch self {
    case .full: true
    case .open(_, let code, _): code == ENOSPC || code == EDQUOT
    default: false
    }
  }

  /// From errno, which the caller has read right after `call`.
  static func system(_ call: String, errno code: Int32) -> StoreError {
    let words = String(cString: strerror(code))
    switch code {
    case EROFS: return .readOnly(call: call, code: code, words: words)
    case EIO: return .step(call: call, code: code, words: words)
    default: return .open(call: call, code: code, words: words)
    }
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .open(let call, let code, let words):
      "queue: \(call): \(words) (\(code)); the folder of queue.path must exist and belong to the agent's user"
    case .prepare(let call, let code, let words):
      "queue: \(call): \(words) (\(code)); the file is not a queue of this program, or libsqlite3 is too old"
    case .step(let call, let code, let words):
      "queue: \(call): \(words) (\(code)); look for storage errors in the kernel's log"
    case .notAFile(let error): "queue: \(error)"
    case .closed(let words):
      "\(words); until it can be opened again, records are held in memory"
    case .full(let call, let code, let words):
      "queue: \(call): \(words) (\(code)); free space on the file system of queue.path"
    case .readOnly(let call, let code, let words):
      "queue: \(call): \(words) (\(code)); the file system is mounted read-only, or the file is another user's"
    case .corrupt(let call, let code, let words):
      "queue: \(call): \(words) (\(code)); restart the agent: it sets the file aside and saves what is readable"
    case .busy(let call, let code, let words):
      "queue: \(call): \(words) (\(code)); close the other program that has the queue file open"
    case .refused(let setting, let wanted, let got):
      "queue: PRAGMA \(setting) is \(got), not \(wanted); queue.path must lie on a local file system"
    case .newerVersion(let found, let known):
      "queue: the file has schema version \(found) and this program knows \(known); install the newer program "
        + "again, or move the file away"
    case .notAQueue(let path):
      "queue: \(path) is no queue, or a damaged one, and stays as it is: if it is another file, set queue.path to one "
        + "of its own; if not, start the agent, which saves what is readable"
    case .foreignFile(let applicationID):
      "queue: the file is another program's database (application id \(applicationID)); set queue.path to a "
        + "file of its own"
    }
  }
}
