extension UploadReply {
  /// What a reply means for the records that were sent.
  public enum Verdict: Equatable, Sendable {
    case acknowledged
    case transient
    case unauthorised
    case tooLarge
    case refused
    /// No request was made, and none is owed.
    case nothingToSend
  }

  /// Why a reply acknowledges nothing. Names are stable: the status and docs/sync.md have them.
  public enum Problem: String, CaseIterable, Equatable, Sendable {
    case resolve, connect, tls, timeout, dropped, interface
    case tlsClock = "tls_clock"
    case notHTTP = "not_http"
    case replyTooLarge = "reply_too_large"
    case setup
    case notCarried = "not_carried"
    case noToken = "no_token"
    /// A web page instead of the server's answer, or a redirect to one.
    case captivePortal = "captive_portal"
    case redirect
    /// 2xx, and none of the records is named as stored.
    case notEchoed = "not_echoed"
    /// 408, 425, 429, 503: the server wants to be asked later.
    case busy
    case serverError = "server_error"
    case unauthorised
    case tooLarge = "too_large"
    case refused
    /// A status that no server should answer with.
    case unexpected

    public var verdict: Verdict {
      switch self {
      case .noToken, .unauthorised: .unauthorised
      case .tooLarge: .tooLarge
      case .refused: .refused
      case .resolve, .connect, .interface, .tls, .tlsClock, .notHTTP, .timeout, .dropped, .replyTooLarge,
        .setup,
        .notCarried, .captivePortal, .redirect, .notEchoed, .busy, .serverError, .unexpected:
        .transient
      }
    }
  }

  public func verdict(_ rule: SyncSettings.Acknowledgement = .lenient) -> Verdict {
    if failure == .nothingToSend { return .nothingToSend }
    return problem(rule)?.verdict ?? .acknowledged
  }

  /// By the geomony rule.
  public var verdict: Verdict { verdict() }

  /// nil: the reply acknowledges.
  public func problem(_ rule: SyncSettings.Acknowledgement = .lenient) -> Problem? {
    if let failure { return Problem(rawValue: failure.rawValue) ?? .unexpected }
    switch status {
    case 200..<300:
      if isWebPage { return .captivePortal }
      return hasEchoed(rule) ? nil : .notEchoed
    case 300..<400: return isWebPage ? .captivePortal : .redirect
    case 401, 403: return .unauthorised
    case 413: return .tooLarge
    case 400, 404, 409, 422: return .refused
    case 408, 425, 429, 503: return .busy
    case 500..<600: return .serverError
    default: return .unexpected
    }
  }

  private func hasEchoed(_ rule: SyncSettings.Acknowledgement) -> Bool {
    switch rule {
    case .lenient: sent.isEmpty || !stored.isEmpty
    case .strict: echoed.map { sent.isEmpty || !$0.isEmpty } ?? false
    }
  }
}
