import TrackerBase

/// What a box asks a server for a token with. It is kept until the token is there: who asks again with the same gets the
/// same answer, so neither a lost reply nor a power cut uses up the code.
public struct EnrolmentRequest: Equatable, Sendable {
  public var url: String
  public var code: String
  /// Drawn by chance, for this request.
  public var nonce: String
  /// How the box would be named.
  public var device: String

  public init(url: String, code: String, nonce: String, device: String) {
    (self.url, self.code, self.nonce, self.device) = (url, code, nonce, device)
  }

  /// What no message may hold.
  public var secrets: [String] { [code, nonce] }

  /// Of the POST.
  public var body: [UInt8] { Array(JSONValue.object(members).text.utf8) }

  /// To be kept.
  public var saved: String {
    JSONValue.object(members + [JSONMember(key: "url", value: .string(url))]).text + "\n"
  }

  private var members: [JSONMember] {
    [("code", code), ("device", device), ("nonce", nonce)].map { JSONMember(key: $0, value: .string($1)) }
  }

  /// nil for what `saved` does not make.
  public init?(saved: String) {
    let value = JSONReader.parse(Array(saved.utf8))
    guard let url = value?["url"]?.string, let code = value?["code"]?.string,
      let nonce = value?["nonce"]?.string, let device = value?["device"]?.string
    else { return nil }
    self.init(url: url, code: code, nonce: nonce, device: device)
  }
}

/// What the server has said to it.
public enum EnrolmentReply: Equatable, Sendable {
  case enrolled(device: String, token: String)
  /// The code will not do, whenever it is asked again. - Parameter words: the server's, cleaned of secrets.
  case refused(status: Int, words: String)
  /// It may be otherwise in a while: no such page here, too many requests, a server that is not well.
  case later(status: Int, words: String)

  /// - Parameter status: of a whole reply.
  public init(status: Int, body: [UInt8], to request: EnrolmentRequest) {
    let words = ServerReply.words(in: body, secrets: request.secrets)
    switch status {
    case 200..<300:
      let value = JSONReader.parse(body)
      guard let device = value?["device"]?.string, !device.isEmpty, DeviceName.problem(of: device) == nil,
        let token = value?["token"]?.string, EnrolmentReply.isToken(token)
      else {
        // A portal's page, say.
        self = .later(status: status, words: "its reply is none to an enrolment")
        return
      }
      self = .enrolled(device: device, token: token)
    case 400, 403, 409, 422: self = .refused(status: status, words: words)
    default: self = .later(status: status, words: words)
    }
  }

  /// One line of visible ASCII, as files of tokens have.
  public static func isToken(_ text: String) -> Bool {
    (16...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }
}
