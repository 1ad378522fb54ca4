import Glibc

/// What stops the simulated module: the call, its object, the system's words, and what to do about it.
struct FeederError: Error, CustomStringConvertible {
  var call: String
  var path: String?
  var code: Int32
  var advice: String?

  var description: String {
    "\(call)\(path.map { " of \($0)" } ?? ""): \(String(cString: strerror(code))) (errno \(code))"
      + (advice.map { "; \($0)" } ?? "")
  }
}

/// Runs `body` until it is not interrupted by a signal; throws with errno if it returns -1.
@discardableResult
func checked<Result: SignedInteger>(
  _ call: String, _ path: String? = nil, advice: String? = nil, _ body: () -> Result
) throws(FeederError) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    let code = errno
    if code != EINTR { throw FeederError(call: call, path: path, code: code, advice: advice) }
  }
}
