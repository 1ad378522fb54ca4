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
    /// 2xx, and none of the records counts as stored.
    case notEchoed
    /// 404: it speaks of the address, never of a record.
    case notFound
    /// 408, 425, 429, 503: the server wants to be asked later.
    case busy
    case serverError
    case unauthorised
    case tooLarge
    case refused
    /// A status that no server should answer with, or a refusal of records that were not sent.
    case unexpected

    /// Stable: the status and docs/sync.md have it.
    public var name: String {
      switch self {
      case .failed(let failure): failure.rawValue
      case .captivePortal: "captive_portal"
      case .redirect: "redirect"
      case .notEchoed: "not_echoed"
      case .notFound: "not_found"
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
      case .failed, .captivePortal, .redirect, .notEchoed, .notFound, .busy, .serverError, .unexpected:
        .transient
      }
    }
  }

  public func verdict(_ rule: SyncSettings.Acknowledgement = .auto) -> Verdict {
    problem(rule)?.verdict ?? .acknowledged
  }

  /// By the default rule.
  public var verdict: Verdict { verdict() }

  /// Why a reply acknowledges.
  public enum Proof: String, FigureChoice {
    /// It names the records.
    case ids
    /// `sync.accept` is in it.
    case text
    /// It is as the format's servers answer.
    case answer
    /// The certificate says who answers; the server has named nothing.
    case certificate
    /// The same over plain http://, since `sync.ack` is `any`.
    case any
    /// PUBACK.
    case broker

    /// Why it is believed though it has said nothing of records; nil: it has.
    public var beliefWords: String? {
      switch self {
      case .certificate: "the server names no records and is believed because of its certificate"
      case .any: "the server names no records and is believed because of sync.ack"
      case .ids, .text, .answer, .broker: nil
      }
    }
  }

  /// nil: it does not acknowledge.
  public func proof(_ rule: SyncSettings.Acknowledgement) -> Proof? {
    guard problem(rule) == nil else { return nil }
    if echoed != nil { return .ids }
    if isMQTT { return .broker }
    switch answer {
    case .accepted: return .text
    case .expected: return .answer
    case .other, .notAccepted, .unexpected, .failed: return isPlainHTTP ? .any : .certificate
    }
  }

  /// nil: the reply acknowledges.
  public func problem(_ rule: SyncSettings.Acknowledgement = .auto) -> Problem? {
    if let failure { return .failed(failure) }
    switch status {
    case 200..<300:
      if isWebPage { return .captivePortal }
      if acknowledges(by: rule) { return nil }
      return refused.isEmpty ? .notEchoed : .refused
    case 300..<400:
      if isWebPage && !redirectsToItself { return .captivePortal }
      return (300...303).contains(status) || status == 307 || status == 308 ? .redirect : .unexpected
    case 401, 403: return .unauthorised
    case 404: return .notFound
    case 413: return .tooLarge
    case 400, 409, 422: return refusesOthers ? .unexpected : .refused
    case 408, 425, 429, 503: return .busy
    // RFC 6585, 6: a portal says so itself.
    case 511: return .captivePortal
    case 500..<600: return .serverError
    default: return .unexpected
    }
  }

  /// A reply that names records speaks of those; for one that does not, the rule decides.
  private func acknowledges(by rule: SyncSettings.Acknowledgement) -> Bool {
    if let echoed { return sent.isEmpty || !echoed.isEmpty }
    switch answer {
    case .notAccepted, .unexpected, .failed: return false
    case .other, .accepted, .expected: break
    }
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
    if problem == .unexpected, refusesOthers {
      return
        "the reply refuses records by name, and none that were sent: is it the answer to another request?"
    }
    if problem == .notFound { return "is the path in sync.url right, and does the server know this device?" }
    switch status {
    case 304: return "a cache answers in place of the server, which it must not for a POST"
    case 405, 410, 501: return "nothing takes a POST at that address: is the path in sync.url right?"
    case 407: return "a proxy wants a password"
    default: return ""
    }
  }

  private func adviceOnAck(_ rule: SyncSettings.Acknowledgement) -> String {
    if sent.isEmpty {
      let why =
        rule == .strict
        ? "sync.ack = \"strict\" wants that" : "over plain http:// anyone on the way can answer"
      return "the reply to a status without records should say \"ack\":[], since \(why)"
    }
    if echoed == nil, rule != .strict, let words = adviceOnAnswer { return words }
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

extension UploadReply {
  private var adviceOnAnswer: String? {
    switch answer {
    case .failed:
      "the reply says that the request failed; if it has stored the records all the same, name a text of its reply in sync.accept"
    case .notAccepted: "the text of sync.accept is not in the reply"
    case .unexpected:
      "the reply is no JSON array or object, as servers of sync.format answer: is the address in sync.url right?"
    case .other, .accepted, .expected: nil
    }
  }
}

extension UploadReply.Problem: CaseIterable {
  /// All that there are to report: with nothing to send there is no problem.
  public static var allCases: [UploadReply.Problem] {
    UploadReply.NoReply.allCases.filter { $0 != .nothingToSend }.map { .failed($0) } + [
      .captivePortal, .redirect, .notEchoed, .notFound, .busy, .serverError, .unauthorised, .tooLarge,
      .refused,
      .unexpected,
    ]
  }
}
