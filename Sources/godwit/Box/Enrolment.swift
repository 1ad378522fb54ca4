import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

/// Gets this box its token and its name for a code.
///
/// What it asks with lies in the state folder until token and name are on storage. So a power cut between the server's
/// answer and the files costs nothing: the same is asked once more, and the server answers the same.
struct Enrolment {
  enum Outcome: Equatable {
    case enrolled(device: String)
    /// With words; the code will not do.
    case refused(String)
    case later(String)
    /// The answer came, and cannot be used as the settings are.
    case unfit(String)
  }

  struct BadURL: Error, Equatable { var reason: String }

  static var path: String { StateFolder.path + "/enrolment" }

  let settings: Settings

  // MARK: What is asked

  static func pending() throws(HostError) -> EnrolmentRequest? {
    try DurableFile.read(path).flatMap { EnrolmentRequest(saved: $0) }
  }

  /// On storage once this has returned. The same code is asked with the same nonce again.
  static func prepare(url: String, code: String, device: String) throws(HostError) -> EnrolmentRequest {
    var request = EnrolmentRequest(url: url, code: code, nonce: "", device: device)
    if let before = try pending(), before.code == code {
      request.nonce = before.nonce
    } else {
      request.nonce = (0..<4).map { _ in SettingText.hex(.random(in: .min ... .max), digits: 16) }.joined()
    }
    try OwnedFile.write(path, request.saved, mode: 0o600, owner: OwnedFile.owner(of: StateFolder.path))
    return request
  }

  /// Where codes are good, by where records go; nil where those go to a broker, or nowhere.
  static func url(of settings: Settings) -> String? {
    guard let server = try? ServerURL(settings.sync.url), !server.isMQTT else { return nil }
    let end = settings.sync.url.dropFirst(server.scheme.rawValue.count + 3).prefix { !"/?#".contains($0) }
    return "\(server.scheme.rawValue)://\(end)/v1/enrol"
  }

  /// As somebody types it: without a path it is the collector's.
  static func url(typed text: String) throws(BadURL) -> String {
    let server: ServerURL
    do throws(ServerURL.ParseError) { server = try ServerURL(text) } catch {
      throw BadURL(reason: error.reason)
    }
    guard !server.isMQTT else { throw BadURL(reason: "must begin with https://") }
    let rest = text.dropFirst(server.scheme.rawValue.count + 3)
    let path = rest.drop { !"/?#".contains($0) }
    return path.isEmpty || path == "/" ? text.prefix(text.count - path.count) + "/v1/enrol" : text
  }

  /// Why the code may not go there; nil if it may.
  func refusal(of url: String) -> String? {
    guard let server = try? ServerURL(url), !server.isEncrypted, !server.isLoopback,
      !settings.sync.allowPlaintext
    else { return nil }
    return
      "over http:// anyone on the way reads the code and the token: write https://, or in a network of your own set sync.allow_plaintext = true"
  }

  // MARK: Asking

  /// Waits for the answer, and for no longer than the settings' deadlines.
  func ask(_ request: EnrolmentRequest) -> Outcome {
    let result: UploadResult
    do { result = try post(request) } catch { return .later("\(error)") }
    if result.failure != nil { return .later(result.message) }
    switch EnrolmentReply(status: result.status, body: result.body, to: request) {
    case .enrolled(let device, let token): return keep(device: device, token: token)
    case .refused(let status, let words): return .refused("the server answers \(status): \(words)")
    case .later(let status, let words):
      return .later("the server answers \(status)\(words.isEmpty ? "" : ": \(words)")")
    }
  }

  private func post(_ request: EnrolmentRequest) throws -> UploadResult {
    let sync = settings.sync
    let uploader = try HTTPUploader(version: Version.text)
    try uploader.start(
      UploadRequest(
        url: request.url, body: request.body, contentType: "application/json",
        connectTimeout_s: sync.connectTimeout_s, requestTimeout_s: sync.requestTimeout_s,
        maxReply_bytes: 65_536,
        caFile: sync.caFile, clientCertFile: sync.clientCertFile, clientKeyFile: sync.clientKeyFile,
        interface: sync.interface, allowPlaintext: sync.allowPlaintext))
    while true {
      let ready = Poller.wait(uploader.descriptors, timeout_ms: uploader.timeout_ms ?? 1000)
      if let result = uploader.drive(ready: ready) { return result }
    }
  }

  // MARK: What came

  /// The name first: with a token and another name nothing would be taken.
  private func keep(device: String, token: String) -> Outcome {
    if !settings.deviceID.isEmpty, settings.deviceID != device {
      return .unfit(
        "the server names this box \(SettingText.quoted(device)), but device_id in the settings says "
          + "\(SettingText.quoted(settings.deviceID)): correct device_id, and ask again")
    }
    do throws(HostError) {
      if settings.deviceID.isEmpty {
        try DeviceNameFile(queuePath: settings.queue.path).keep(enrolled: device)
      }
      try Enrolment.keep(token: token, in: settings.sync.tokenFile)
      try OwnedFile.remove(Enrolment.path)
    } catch { return .later("\(error)") }
    return .enrolled(device: device)
  }

  /// For the agent's user alone, who may be another than this process'.
  static func keep(token: String, in file: String) throws(HostError) {
    try OwnedFile.write(file, token + "\n", mode: 0o600, owner: OwnedFile.owner(of: StateFolder.path))
  }
}
