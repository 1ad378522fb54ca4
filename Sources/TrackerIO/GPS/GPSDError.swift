/// Why there is no connection to gpsd.
public enum GPSDError: Error, Equatable, CustomStringConvertible {
  case hostNotFound(host: String, reason: String)
  case connectFailed(host: String, port: Int, code: Int32)
  /// Something accepts connections there but does not answer: a gpsd that hangs, or a host that is away.
  case noAnswer(host: String, port: Int, waited_ms: Int)
  case watchFailed(host: String, port: Int, code: Int32)
  case outOfMemory
  case timerFailed(String)

  public var description: String {
    switch self {
    case .hostNotFound(let host, let reason):
      "cannot find gpsd's host \"\(host)\": \(reason). Check gps.host; 127.0.0.1 is this board."
    case .connectFailed(let host, let port, let code):
      """
      cannot reach gpsd at \(host) port \(port): connect: \(systemWords(code)). \
      Is it running? "systemctl status gpsd.socket gpsd" shows it.
      """
    case .noAnswer(let host, let port, let waited_ms):
      """
      gpsd at \(host) port \(port) did not take the connection within \(waited_ms) ms. \
      If it hangs, "systemctl restart gpsd" helps.
      """
    case .watchFailed(let host, let port, let code):
      "gpsd at \(host) port \(port) did not take the watch request: send: \(systemWords(code))"
    case .outOfMemory:
      "no memory for gpsd's decoder"
    case .timerFailed(let words):
      "no timer for the connection to gpsd: \(words)"
    }
  }
}
