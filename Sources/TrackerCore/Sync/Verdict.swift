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

  /// Why a reply acknowledges nothing.
  public enum Problem: Hashable, Sendable {
    /// There is no usable reply.
    case failed(NoReply)
    /// A web page instead of the server's answer, or a redirect to one.
    case captivePortal
    case redirect
    /// 2xx, and none of the records is named as stored.
    case notEchoed
    /// 408, 425, 429, 503: the server wants to be asked later.
    case busy
    case serverError
    case unauthorised
    case tooLarge
    case refused
    /// A status that no server should answer with.
    case unexpected

    /// Stable: the status and docs/sync.md have it.
    public var name: String {
      switch self {
      case .failed(let failure): failure.rawValue
      case .captivePortal: "captive_portal"
      case .redirect: "redirect"
      case .notEchoed: "not_echoed"
      case .busy: "busy"
      case .serverError: "server_error"
      case .unauthorised: "unauthorised"
      case .tooLarge: "too_large"
      case .refused: "refused"
      case .unexpected: "unexpected"
      }
    }

    public var verdict: Verdict {
      switch self {
      case .failed(.nothingToSend): .nothingToSend
      case .failed(.noToken), .unauthorised: .unauthorised
      case .tooLarge: .tooLarge
      case .refused: .refused
      case .failed, .captivePortal, .redirect, .notEchoed, .busy, .serverError, .unexpected: .transient
      }
    }
  }

  public func verdict(_ rule: SyncSettings.Acknowledgement = .auto) -> Verdict {
    problem(rule)?.verdict ?? .acknowledged
  }

  /// By the default rule.
  public var verdict: Verdict { verdict() }

  /// nil: the reply acknowledges.
  public func problem(_ rule: SyncSettings.Acknowledgement = .auto) -> Problem? {
    if let failure { return .failed(failure) }
    switch status {
    case 200..<300:
      if isWebPage { return .captivePortal }
      if acknowledges(by: rule) { return nil }
      return refused.isEmpty ? .notEchoed : .refused
    case 300..<400: return isWebPage && !redirectsToItself ? .captivePortal : .redirect
    case 401, 403: return .unauthorised
    case 413: return .tooLarge
    case 400, 404, 409, 422: return .refused
    case 408, 425, 429, 503: return .busy
    case 500..<600: return .serverError
    default: return .unexpected
    }
  }

  /// A reply that names records speaks of those; for one that does not, the rule decides.
  private func acknowledges(by rule: SyncSettings.Acknowledgement) -> Bool {
    if let echoed { return sent.isEmpty || !echoed.isEmpty }
    switch rule {
    case .auto: return !isPlainHTTP
    case .any: return true
    case .strict: return false
    }
  }

  /// What operators should know of a reply that does not count, and what they can do; empty where the problem's name
  /// and the server's words say it all.
  public func advice(_ rule: SyncSettings.Acknowledgement) -> String {
    if isMQTT, !message.isEmpty { return "" }
    let problem = problem(rule)
    if problem == .notEchoed { return adviceOnAck(rule) }
    if problem == .redirect, redirectsToItself {
      return
        "the server redirects to another address of its own, such as https:// in place of http://: write that into sync.url"
    }
    if problem == .failed(.tls), status > 0 {
      return "the server wants this device's certificate, or refuses it: look at sync.client_cert_file"
    }
    if problem == .redirect {
      return "redirects are not followed: unless a portal sent it, write the new address into sync.url"
    }
    if problem == .unauthorised {
      return
        "the server does not take who we say we are: look at sync.token_file, sync.password_file or [sync.header_files]"
    }
    if problem == .refused, status == 404, refused.isEmpty {
      return "is the path in sync.url right, and does the server know this device?"
    }
    return ""
  }

  private func adviceOnAck(_ rule: SyncSettings.Acknowledgement) -> String {
    if sent.isEmpty {
      let why =
        rule == .strict
        ? "sync.ack = \"strict\" wants that" : "over plain http:// anyone on the way can answer"
      return "the reply to a status without records should say \"ack\":[], since \(why)"
    }
    if echoed != nil {
      return
        "the reply was cut short, or names none of our records as stored: the server should send their uuids as ack, or the text of Godwit-Batch"
    }
    switch rule {
    case .strict: return "the reply does not name our records, and sync.ack = \"strict\" wants that"
    case .auto, .any:
      return
        "the reply does not name our records, and over plain http:// anyone on the way can answer: use https://, or set sync.ack = \"any\" if this server never names them"
    }
  }
}

extension UploadReply.Problem: CaseIterable {
  /// All that there are to report: with nothing to send there is no problem.
  public static var allCases: [UploadReply.Problem] {
    UploadReply.NoReply.allCases.filter { $0 != .nothingToSend }.map { .failed($0) } + [
      .captivePortal, .redirect, .notEchoed, .busy, .serverError, .unauthorised, .tooLarge, .refused,
      .unexpected,
    ]
  }
}
