import Glibc
import TrackerBase

/// One POST, or one MQTT message.
public struct UploadRequest: Sendable {
  public var url: String
  /// Over MQTT: user properties.
  public var headers: [(String, String)]
  public var body: [UInt8]
  public var contentType: String
  /// For name look-up, connection and TLS together, and MQTT's CONNACK.
  public var connectTimeout_s: Double
  /// For everything.
  public var requestTimeout_s: Double
  /// Without a byte for so long it is given up. Over HTTP the server may think for longer before it answers.
  public var silence_s = UploadRequest.longestSilence_s
  /// A longer reply body is refused.
  public var maxReply_bytes: Int
  /// PEM file of the only authorities to trust; empty: the system's.
  public var caFile: String
  /// PEM files of this device's certificate and its key; empty: none is shown.
  public var clientCertFile: String
  public var clientKeyFile: String
  /// The only network interface to use; empty: whichever the routes choose.
  public var interface: String
  /// Unix seconds, if somebody vouches for the time: certificates are judged by it. nil: by the system's clock, and
  /// one that is outside its dates fails as `tlsClock`.
  public var trustedTime_s: Int64?
  /// Empty: none is sent. Over MQTT it is the password.
  public var bearerToken: String
  /// Basic authentication (RFC 7617); empty: none. Not over MQTT.
  public var user = ""
  public var password = ""
  /// Headers whose values stand in no message. Not over MQTT.
  public var secretHeaders: [(String, String)] = []
  /// Over MQTT: whoever stores the records says so on the topic with `/ack` behind it, and that is the reply's body.
  public var awaitsAnswer = false
  /// Over MQTT: so much may come on the topic with `/cmd` behind it, with a session that the broker keeps; 0: nothing is
  /// asked for, and the broker keeps none.
  public var topicAllowed_bytes = 0
  /// What the broker spoke when it was last heard; auto: not known.
  public var lastSpoken = SyncSettings.MQTTVersion.auto
  /// True lets an http:// or mqtt:// URL lead off this machine. To a loopback address it always may.
  public var allowPlaintext: Bool

  public init(
    url: String, headers: [(String, String)] = [], body: [UInt8], contentType: String,
    connectTimeout_s: Double = 30, requestTimeout_s: Double = 120, maxReply_bytes: Int = 262_144,
    caFile: String = "", clientCertFile: String = "", clientKeyFile: String = "", interface: String = "",
    trustedTime_s: Int64? = nil, bearerToken: String = "", allowPlaintext: Bool = false
  ) {
    self.url = url
    self.headers = headers
    self.body = body
    self.contentType = contentType
    self.connectTimeout_s = connectTimeout_s
    self.requestTimeout_s = requestTimeout_s
    self.maxReply_bytes = maxReply_bytes
    self.caFile = CredentialsFolder.expanded(caFile)
    self.clientCertFile = CredentialsFolder.expanded(clientCertFile)
    self.clientKeyFile = CredentialsFolder.expanded(clientKeyFile)
    self.interface = interface
    self.trustedTime_s = trustedTime_s
    self.bearerToken = bearerToken
    self.allowPlaintext = allowPlaintext
  }
}

extension UploadRequest {
  public static let longestSilence_s = 60

  /// What no message may repeat.
  public var secrets: [String] { ([bearerToken, password] + secretHeaders.map(\.1)).filter { !$0.isEmpty } }

  /// The files of TLS as they are now. libcurl goes by their names: it keeps what it has read of them for a day, and
  /// sessions and connections that began with them.
  var trustStamp: [String] { [caFile, clientCertFile, clientKeyFile].map(UploadRequest.stamp) }

  /// Other bytes in place and another file by rename both change it; empty without a file.
  private static func stamp(_ path: String) -> String {
    var found = stat()
    guard !path.isEmpty, stat(path, &found) == 0 else { return "" }
    return [
      Int(found.st_dev), Int(found.st_ino), Int(found.st_size), found.st_mtim.tv_sec, found.st_mtim.tv_nsec,
      found.st_ctim.tv_sec, found.st_ctim.tv_nsec,
    ].map(String.init).joined(separator: " ")
  }

  var connectTimeout_ms: Int64 { UploadRequest.milliseconds(connectTimeout_s) }
  var requestTimeout_ms: Int64 { UploadRequest.milliseconds(requestTimeout_s) }

  private static func milliseconds(_ time_s: Double) -> Int64 {
    Int64(min(max(time_s, 0.001), 86_400) * 1000)
  }
}

/// How a POST ended: with a whole reply, or with a `failure`.
public struct UploadResult: Equatable, Sendable {
  public struct Bytes: Equatable, Sendable {
    public var up: Int
    public var down: Int

    public init(up: Int = 0, down: Int = 0) { (self.up, self.down) = (up, down) }

    public static func += (sum: inout Bytes, more: Bytes) {
      sum.up += more.up
      sum.down += more.down
    }
  }

  /// Of a whole reply; 0 when there is none, also when it broke off after its status line. Over MQTT the status
  /// that means the same.
  public var status: Int
  /// Of a reply that was too long, and came after the whole request: `body` is its beginning. Else 0.
  public var cutStatus = 0
  public var failure: UploadReply.NoReply?
  /// Words for the failure, without the URL's query, user and token; empty without one.
  public var message: String
  public var contentType = ""
  /// Retry-After, whether it came in seconds or as a date, up to a day; nil when there was none that makes sense.
  public var retryAfter_s: Int?
  /// As the reply has it: what the server takes in requests (RFC 7694); empty without one.
  public var acceptEncoding = ""
  /// Where a redirect leads, as the reply has it; empty without one.
  public var location = ""
  public var body: [UInt8] = []
  /// What a broker has kept for the device: each as the body of a reply. To be confirmed.
  public var documents: [[UInt8]] = []
  /// What of `bytesDown` came on that topic.
  public var topicBytes = 0
  /// The broker wanted to bring more there than it may, and what it held is given up.
  public var isTopicCutOff = false
  /// Headers, bodies and TLS handshakes, from libcurl's figures. Failed requests cost bytes too.
  public var bytesUp = 0
  public var bytesDown = 0
  /// What of them TLS handshakes took.
  public var handshake = Bytes()
  /// The network interface that it went over; empty if unknown.
  public var interface = ""
  /// The broker ended the connection with DISCONNECT while the message was under way.
  public var isCutOff = false
  /// What the broker speaks; auto over HTTP, and while none has answered.
  public var mqttVersion = SyncSettings.MQTTVersion.auto
  /// What operators should know, once; empty when there is nothing.
  public var notice = ""
}

/// A request that could not be started.
public enum UploadError: Error, Equatable {
  /// One request at a time.
  case inFlight
  case plaintextRefused
  /// Not to be had with `mqtt` URLs that the settings let pass.
  case badURL(String)
  /// Longer than MQTT allows.
  case badTopic
  /// The header's name; a header with a line break would be two.
  case badHeader(String)
  case setUp(call: String, code: Int, words: String)
}

extension UploadError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .inFlight: "upload: a request is in flight already"
    case .plaintextRefused:
      "upload: sync.url is plaintext and leads off this machine; use https:// or mqtts://, or set sync.allow_plaintext"
    case .badURL(let problem): "upload: sync.url \(problem)"
    case .badTopic:
      "upload: the topic in sync.url is too long for MQTT, with device_id in it; change either"
    case .badHeader(let name):
      "upload: header \(name) has a line break or a NUL; correct sync.headers or the file of its secret"
    case .setUp(let call, let code, let words):
      "upload: \(call): \(words) (\(code)); sync.url and sync.ca_file are the settings to look at"
    }
  }
}

/// Carries one request at a time to the server, without ever blocking.
///
/// The agent's loop polls `descriptors` for at most `timeout_ms` and calls `drive` with what is ready.
public protocol Uploader: AnyObject {
  /// May change with every call of `start` and `drive`.
  var descriptors: [PollDescriptor] { get }
  /// In how many milliseconds `drive` wants to be called even if nothing is ready; nil for never.
  var timeout_ms: Int? { get }

  /// Begins a request; its result comes from a later `drive`, never from here.
  func start(_ request: UploadRequest) throws(UploadError)
  /// Goes on as far as is possible now. `ready` may hold descriptors of others: they are passed over. The
  /// result comes once for each `start` that was not cancelled.
  func drive(ready: [Int32]) -> UploadResult?
  /// The documents of the results so far are on storage.
  func confirm()
}

extension Uploader {
  public func confirm() {}
}
