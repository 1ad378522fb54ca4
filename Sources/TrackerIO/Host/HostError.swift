import Glibc

/// A call to the operating system that failed.
public enum HostError: Error, Equatable, CustomStringConvertible {
  case callFailed(_ call: String, code: Int32, path: String? = nil)
  /// Another process holds the lock; its id if it left one.
  case locked(path: String, pid: Int32?)
  /// What stands in a file's place, or why it cannot be read.
  case file(OutsideFileError)

  public var description: String {
    switch self {
    case .callFailed(let call, let code, let path?):
      "\(call) \(path): \(systemWords(code))"
    case .callFailed(let call, let code, nil):
      "\(call): \(systemWords(code))"
    case .file(let error): "\(error)"
    case .locked(let path, let pid?):
      "another godwit (process \(pid)) holds \(path). Stop it first: two would fight over the GPS and the queue."
    case .locked(let path, nil):
      "another process holds \(path). Stop it first: two would fight over the GPS and the queue."
    }
  }
}

/// The system's words for an error code, with the code.
func systemWords(_ code: Int32) -> String { "\(String(cString: strerror(code))) (errno \(code))" }

/// The result of `call` and errno if it is -1, once it was not interrupted by a signal.
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> (result: Result, code: Int32) {
  while true {
    let result = call()
    let code = errno
    if result != -1 { return (result, 0) }
    if code != EINTR { return (result, code) }
  }
}
