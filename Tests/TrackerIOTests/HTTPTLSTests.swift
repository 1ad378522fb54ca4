import Glibc
import Testing
import TrackerWire

@testable import TrackerIO

@Suite("TLS", .enabled(if: TLSServer.isPossible, "needs python3 with ssl, and openssl"))
struct HTTPTLSTests {
  @Test("a certificate that nobody vouches for is refused, and the body not sent")
  func unvouched() throws {
    let server = try TLSServer()
    let result = try post(server, caFile: "")
    #expect(result.failure == .tls)
    #expect(result.status == 0)
    #expect(result.bytesUp > 0)
    #expect(
      result.message.hasSuffix(
        "none of the system's authorities has signed it: name your own in sync.ca_file; "
          + "or the server does not send its intermediate certificate with its own (fullchain.pem)"))
    #expect(server.report() == "refused")
  }

  @Test("a pinned authority is trusted, and handshakes are counted")
  func pinned() throws {
    let server = try TLSServer()
    let result = try post(server)
    #expect(result.message == "")
    #expect(result.status == 200)
    #expect(result.body == Array("{}".utf8))
    #expect(result.bytesDown > 500)
    #expect(server.report() == "served")
  }

  @Test("with one authority pinned, no other is trusted")
  func otherAuthority() throws {
    let server = try TLSServer()
    let result = try post(server, caFile: server.file("other.pem"))
    #expect(result.failure == .tls)
    #expect(result.message.hasSuffix(Self.unsigned), "\(result.message)")
    #expect(server.report() == "refused")
  }

  private static let unsigned =
    "the authority in sync.ca_file has not signed it; or the server does not send its intermediate certificate with its own (fullchain.pem)"

  @Test("a missing intermediate certificate is named beside sync.ca_file")
  func missingIntermediate() throws {
    let server = try TLSServer(.init(lacksIntermediate: true))
    let result = try post(server)
    #expect(result.failure == .tls)
    #expect(result.message.hasSuffix(Self.unsigned), "\(result.message)")
    #expect(server.report() == "refused")
  }

  @Test(
    "another authority or client certificate in place, or by rename, is used with the next request",
    arguments: [false, true])
  func replaced(isRenamed: Bool) throws {
    let folder = QueueFolder()
    func put(_ name: String, from server: TLSServer, as file: String) throws {
      let bytes = try #require(fileBytes(server.file(name)))
      folder.write(bytes, to: isRenamed ? "new" : file)
      if isRenamed { rename("\(folder.path)/new", "\(folder.path)/\(file)") }
    }
    let uploader = try HTTPUploader(version: "1")
    func post(to server: TLSServer) throws -> UploadResult {
      var request = UploadRequest(url: server.url, body: Array("secret".utf8), contentType: "text/plain")
      request.caFile = "\(folder.path)/ca.pem"
      (request.clientCertFile, request.clientKeyFile) = ("\(folder.path)/c.pem", "\(folder.path)/c.key")
      try uploader.start(request)
      return try finish(uploader)
    }
    let (first, second, third) = (
      try TLSServer(wantsClient: true), try TLSServer(wantsClient: true), try TLSServer(wantsClient: true)
    )
    for (name, file) in [("other.pem", "ca.pem"), ("client.pem", "c.pem"), ("client.key", "c.key")] {
      try put(name, from: first, as: file)
    }
    #expect(try post(to: first).failure == .tls)
    try put("ca.pem", from: second, as: "ca.pem")
    #expect(try post(to: second).message.hasSuffix("look at sync.client_cert_file"))
    for (name, file) in [("ca.pem", "ca.pem"), ("client.pem", "c.pem"), ("client.key", "c.key")] {
      try put(name, from: third, as: file)
    }
    let result = try post(to: third)
    #expect(result.status == 200, "\(result.message)")
  }

  @Test("a good certificate for another name is refused, and the setting named")
  func wrongName() throws {
    let server = try TLSServer(.init(name: "DNS:elsewhere.invalid"))
    let result = try post(server)
    #expect(result.failure == .tls)
    #expect(
      result.message.hasSuffix("the certificate is for another host than that of sync.url"),
      "\(result.message)")
    #expect(server.report() == "refused")
  }

  @Test("a CA file that is not there is a TLS failure, not a reason to trust others")
  func missingAuthority() throws {
    let server = try TLSServer()
    let result = try post(server, caFile: server.authority + ".missing")
    #expect(result.failure == .tls)
    #expect(result.message.hasSuffix("look at sync.ca_file"), "\(result.message)")
    #expect(server.report() == "refused")
  }

  @Test(
    "a certificate outside its dates is refused: by a trusted clock it is the server's fault, else perhaps ours",
    arguments: [(-3 ... -1, "expired"), (1...3, "not yet valid")])
  func dates(days: ClosedRange<Int>, words: String) throws {
    for isTrusted in [true, false] {
      let server = try TLSServer(.init(days: days))
      let result = try post(server, trustedDay: isTrusted ? 0 : nil)
      #expect(result.failure == (isTrusted ? .tls : .tlsClock))
      #expect(result.message.contains(words), "\(result.message)")
      let advice = isTrusted ? "needs a certificate of today" : "sync waits for the time from GPS or NTP"
      #expect(result.message.hasSuffix(advice), "\(result.message)")
      #expect(result.message.contains("clock"), "\(result.message)")
      #expect(server.report() == "refused")
    }
  }

  @Test(
    "a trusted time counts, and not the system's clock",
    arguments: [(-3 ... -1, -2, true), (1...3, 2, true), (-1...1, 2, false), (-1...1, -2, false)])
  func trustedTime(days: ClosedRange<Int>, trustedDay: Int, isServed: Bool) throws {
    let server = try TLSServer(.init(days: days))
    let result = try post(server, trustedDay: trustedDay)
    #expect(result.status == (isServed ? 200 : 0), "\(result.message)")
    #expect(result.failure == (isServed ? nil : .tls))
    #expect(server.report() == (isServed ? "served" : "refused"))
  }

  @Test("a clock that is trusted and wrong is named with its date, as a cause that a person can look at")
  func contradictedClock() throws {
    let server = try TLSServer(.init(days: -1...1))
    let result = try post(server, trustedDay: -20 * 365)
    let date = ISO8601.text(ms: (Int64(time(nil)) - 20 * 365 * 86_400) * 1000).prefix(10)
    let words =
      "the server's certificate is not yet valid by this device's clock, which says \(date): if that is not today, the clock is wrong (look at chrony and the GPS), else the server needs a certificate of today"
    #expect(result.failure == .tls)
    #expect(result.message.hasSuffix(words), "\(result.message)")
  }

  @Test("a client's certificate is shown to a server that asks for one")
  func clientCertificate() throws {
    let server = try TLSServer(wantsClient: true)
    let result = try post(server, client: ("client.pem", "client.key"))
    #expect(result.message == "")
    #expect(result.status == 200)
    #expect(server.report() == "served")
  }

  @Test(
    "without one, or with a stranger's, the server refuses, and that is no lost connection",
    arguments: ["", "stranger"])
  func refusedClient(name: String) throws {
    let server = try TLSServer(wantsClient: true)
    let result = try post(server, client: name.isEmpty ? nil : ("\(name).pem", "\(name).key"))
    #expect(result.failure == .tls, "\(result.message)")
    #expect(result.message.hasSuffix("look at sync.client_cert_file"), "\(result.message)")
    #expect(server.report() == "refused")
  }

  @Test(
    "a refusal whose alert is lost with the connection is named all the same", arguments: [6, 300_000])
  func refusedByReset(body_bytes: Int) throws {
    let server = try TLSServer(wantsClient: true, resets: true)
    let result = try post(server, client: ("stranger.pem", "stranger.key"), body_bytes: body_bytes)
    #expect(result.failure == .tls, "\(result.message)")
    #expect(result.message.hasSuffix("look at sync.client_cert_file"), "\(result.message)")
  }

  @Test(
    "certificate and key that are not there, no pair, or locked are named, and nobody is asked for a passphrase",
    arguments: [
      ("client.pem", "none.key"), ("none.pem", "client.key"), ("client.pem", "server.key"),
      ("client.pem", "locked.key"), ("client.key", "client.pem"),
    ])
  func badClientFiles(certificate: String, key: String) throws {
    let server = try TLSServer(wantsClient: true)
    let result = try post(server, client: (certificate, key))
    #expect(result.failure == .tls)
    #expect(
      result.message.contains("look at sync.client_cert_file and sync.client_key_file"), "\(result.message)")
    #expect(server.report() == "refused")
  }

  /// - Parameters:
  ///   - caFile: nil for the server's own authority.
  ///   - trustedDay: days from now.
  private func post(
    _ server: TLSServer, caFile: String? = nil, trustedDay: Int? = nil, client: (String, String)? = nil,
    body_bytes: Int = 6
  ) throws -> UploadResult {
    let uploader = try HTTPUploader(version: "1")
    let body = Array(repeating: UInt8(ascii: "x"), count: body_bytes - 6) + Array("secret".utf8)
    var request = UploadRequest(url: server.url, body: body, contentType: "text/plain")
    request.caFile = caFile ?? server.authority
    request.trustedTime_s = trustedDay.map { Int64(time(nil)) + Int64($0) * 86_400 }
    if let client {
      (request.clientCertFile, request.clientKeyFile) = (server.file(client.0), server.file(client.1))
    }
    try uploader.start(request)
    return try finish(uploader)
  }
}
