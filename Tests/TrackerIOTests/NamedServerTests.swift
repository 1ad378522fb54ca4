import CCurl
import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

/// Requests to hosts that have a name, reported by a name server of the test's own.
@Suite("A server by its name")
struct NamedServerTests {
  /// The server and the name server, driven as one.
  private struct Both: ScriptedPeer {
    var server: any ScriptedPeer
    var names: NameServer

    var descriptors: [PollDescriptor] { server.descriptors + names.descriptors }
    var timeout_ms: Int { server.timeout_ms }
    func drive(ready: [Int32]) {
      server.drive(ready: ready)
      names.drive(ready: ready)
    }
  }

  private func request(
    _ server: ScriptedServer, host: String = "fleet.example.org", connectTimeout_s: Double = 300
  ) -> UploadRequest {
    UploadRequest(
      url: "http://\(host):\(server.port)/track?key=k3y", body: [1], contentType: "a/b",
      connectTimeout_s: connectTimeout_s, allowPlaintext: true)
  }

  @Test("it is looked up once for a connection, and the request names the host")
  func post() throws {
    let server = ScriptedServer([.json("200 OK", "{}"), .json("200 OK", "{}")])
    let names = NameServer { _ in .addresses(["127.0.0.1"]) }
    let uploader = try HTTPUploader(version: "1", nameServers: names.address)
    for _ in 1...2 {
      try uploader.start(request(server))
      #expect(try finish(uploader, with: Both(server: server, names: names)).status == 200)
    }
    #expect(server.connectionCount == 1)
    #expect(names.questions.count == 2)
    let head = String(decoding: try #require(server.requests.first), as: UTF8.self)
    #expect(head.contains("\r\nHost: fleet.example.org:\(server.port)\r\n"))
  }

  @Test(
    "a final dot of the name, and capitals, change nothing",
    arguments: ["fleet.example.org.", "Fleet.Example.ORG"])
  func spelling(host: String) throws {
    let server = ScriptedServer([.json("200 OK", "{}")])
    let names = NameServer { _ in .addresses(["127.0.0.1"]) }
    let uploader = try HTTPUploader(version: "1", nameServers: names.address)
    try uploader.start(request(server, host: host))
    #expect(try finish(uploader, with: Both(server: server, names: names)).status == 200)
  }

  @Test("a connection that is opened anew is looked up anew: the server may have moved")
  func moved() throws {
    let first = ScriptedServer([
      .init("HTTP/1.1 204 No Content\r\n\r\n", after: .close), .json("200 OK", "{}"),
    ])
    var addresses = ["127.0.0.1"]
    let names = NameServer { _ in .addresses(addresses) }
    let uploader = try HTTPUploader(version: "1", nameServers: names.address)
    try uploader.start(request(first))
    #expect(try finish(uploader, with: Both(server: first, names: names)).status == 204)
    addresses = ["127.0.0.99"]
    try uploader.start(request(first))
    #expect(try finish(uploader, with: Both(server: first, names: names)).failure == .connect)
    addresses = ["127.0.0.1"]
    try uploader.start(request(first))
    #expect(try finish(uploader, with: Both(server: first, names: names)).status == 200)
    #expect(names.questions.count == 6)
  }

  @Test("the next address is tried when one refuses, of either kind")
  func addresses() throws {
    let server = ScriptedServer([.json("200 OK", "{}")])
    let names = NameServer { _ in .addresses(["127.0.0.99", "::1", "127.0.0.1"]) }
    let uploader = try HTTPUploader(version: "1", nameServers: names.address)
    try uploader.start(request(server))
    #expect(try finish(uploader, with: Both(server: server, names: names)).status == 200)
  }

  @Test("a silent name server ends the request within connect_timeout_s, in words")
  func silent() throws {
    let names = NameServer { _ in .silence }
    let uploader = try HTTPUploader(version: "1", nameServers: names.address)
    try uploader.start(request(ScriptedServer([]), connectTimeout_s: 0.2))
    let result = try finish(uploader, with: names)
    #expect(result.failure == .resolve)
    #expect(
      result.message
        == "no name server has given the address of fleet.example.org in time; is the host in sync.url right, and does DNS work?"
    )
    #expect(!result.message.contains("k3y"))
  }

  @Test("a cancelled look-up is over at once, and its answer is not taken for the next one's")
  func cancelled() throws {
    let server = ScriptedServer([.json("200 OK", "{}")])
    var answer = NameServer.Answer.later(["127.0.0.99"])
    let names = NameServer { _ in answer }
    let uploader = try HTTPUploader(version: "1", nameServers: names.address)
    try uploader.start(request(server))
    while names.questions.count < 2 {
      names.drive(ready: waitForDescriptors(names.descriptors, timeout_ms: 1000))
    }
    uploader.cancel()
    #expect(uploader.descriptors == [] && uploader.timeout_ms == nil)
    names.sayWhatWaits()
    answer = .addresses(["127.0.0.1"])
    try uploader.start(request(server))
    #expect(try finish(uploader, with: Both(server: server, names: names)).status == 200)
  }

  @Test("libcurl never looks up a name by itself: without an entry it fails")
  func guarded() throws {
    let multi = try CurlMulti()
    let transfer = try Transfer(
      posting: UploadRequest(url: "https://fleet.example.org/", body: [1], contentType: "a/b"), userAgent: "x"
    )
    try transfer.use(nil, after_ms: 0)
    #expect(curl_easy_perform(transfer.easy) == CURLE_COULDNT_RESOLVE_HOST)
    multi.remove(transfer)
  }

  @Test("a broker is looked up too, and a silent name server named")
  func broker() throws {
    var answer = NameServer.Answer.silence
    let names = NameServer { _ in answer }
    let uploader = try MQTTUploader(device: "van-7", maxReply_bytes: 4096, nameServers: names.address)
    let broker = ScriptedBroker([.close, .close, .close, .close])
    var request = UploadRequest(
      url: "mqtt://broker.example.org:\(broker.port)/a", body: [1], contentType: "a/b", connectTimeout_s: 0.2,
      allowPlaintext: true)
    try uploader.start(request)
    #expect(try finish(uploader, with: names).failure == .resolve)
    #expect(broker.connectionCount == 0)
    answer = .addresses(["127.0.0.1"])
    request.connectTimeout_s = 20
    try uploader.start(request)
    _ = try finish(uploader, with: Both(server: broker, names: names))
    #expect(broker.connectionCount > 0)
  }

  @Test("gpsd's host is looked up too, and its silence comes as a lost connection")
  func gpsd() throws {
    let names = NameServer {
      $0.name == "gps.example.org" ? .addresses(["127.0.0.99", "127.0.0.1"]) : .code(3)
    }
    let server = FakeGPSD()
    for (host, isThere) in [("gps.example.org", true), ("nowhere.example.org", false)] {
      let connection = GPSDConnection(
        host: host, port: server.port, connectTimeout_ms: 5000, nameServers: names.address)
      try connection.open()
      var events: [GPSDEvent] = []
      while !connection.isOpen && !connection.isClosed {
        let ready = waitForDescriptors(connection.descriptors + names.descriptors, timeout_ms: 1000)
        names.drive(ready: ready)
        events += connection.receive(ready: ready)
      }
      #expect(connection.isOpen == isThere)
      let words = """
        cannot find gpsd's host "nowhere.example.org": the name servers know of no host nowhere.example.org. \
        Check gps.host; 127.0.0.1 is this board.
        """
      #expect(events == (isThere ? [] : [.lost(words)]))
    }
  }
}

@Suite("What libcurl connects to")
struct DestinationTests {
  private func destination(_ url: String, _ environment: [String: String] = [:]) -> Destination? {
    Destination(url, environment: { environment[$0] })
  }

  @Test("host and port of a URL, as libcurl reads it")
  func url() throws {
    #expect(
      destination("https://fleet.example.org/v1")?.entry(["192.0.2.1"]) == "fleet.example.org:443:192.0.2.1")
    #expect(destination("http://h:81/")?.entry(["::1", "127.0.0.1"]) == "h:81:[::1],127.0.0.1")
    #expect(destination("https://[2001:db8::1]:8443/")?.host == "2001:db8::1")
    #expect(destination("") == nil)
  }

  @Test(
    "a proxy of the environment is connected to instead, at the port that libcurl takes",
    arguments: [
      ("https://h/", ["https_proxy": "http://p:3128"], "p", 3128, "http://p:3128"),
      ("https://h/", ["HTTPS_PROXY": "p:3128"], "p", 3128, "p:3128"),
      ("https://h/", ["http_proxy": "http://p:3128"], "h", 443, ""),
      ("http://h/", ["http_proxy": "http://p"], "p", 1080, "http://p"),
      ("http://h/", ["HTTP_PROXY": "http://p"], "h", 80, ""),
      // What may stay in the clear since it does not leave this machine must not leave it.
      ("http://127.0.0.1:8080/x", ["http_proxy": "http://p:3128"], "127.0.0.1", 8080, ""),
      ("http://localhost:8080/", ["http_proxy": "http://p", "all_proxy": "http://p"], "localhost", 8080, ""),
      ("http://[::1]/", ["all_proxy": "socks5://p"], "::1", 80, ""),
      ("https://LOCALHOST/", ["https_proxy": "http://p"], "LOCALHOST", 443, ""),
      ("https://h/", ["all_proxy": "https://p"], "p", 443, "https://p"),
      ("https://h/", ["ALL_PROXY": "socks5://p:9"], "p", 9, "socks5h://p:9"),
      ("https://h/", ["https_proxy": "", "all_proxy": "http://p:1"], "p", 1, "http://p:1"),
    ])
  func proxy(url: String, environment: [String: String], host: String, port: Int, proxy: String) {
    let found = destination(url, environment)
    #expect(found?.host == host && found?.port == port && found?.proxy == proxy)
  }

  @Test("a proxy that cannot be reached is named, and a port without TLS")
  func advice() {
    func advice(_ code: CURLcode, _ words: String, proxy: String = "") -> String? {
      TransferError(
        code, words: words, certificate: GODWIT_CERTIFICATE_FINE, isRefused: false,
        request: UploadRequest(url: "https://h/", body: [], contentType: "a/b"), isClockTrusted: true,
        proxy: proxy
      )?.advice
    }
    let proxy = destination("https://h/", ["https_proxy": "http://me:secret@p:3128"])?.proxyName ?? ""
    #expect(
      advice(CURLE_COULDNT_CONNECT, "Failed to connect", proxy: proxy)
        == "cannot reach the proxy p:3128, which the environment names")
    #expect(advice(CURLE_COULDNT_CONNECT, "Failed to connect") == "")
    let words = "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number"
    #expect(
      advice(CURLE_SSL_CONNECT_ERROR, words)
        == "the server speaks no TLS on this port: http:// or another port?")
  }

  @Test("a proxy is named to operators without its user and password")
  func notice() {
    let found = destination("https://h/", ["https_proxy": "http://me:secret@p.example.org:3128"])
    #expect(
      found?.notice == "requests go through the proxy p.example.org:3128, which the environment names")
    #expect(destination("https://h/")?.notice == "")
  }

  @Test(
    "no_proxy names hosts, domains and networks that need none",
    arguments: [
      ("*", "a.example.org", true), ("example.org", "a.example.org", true),
      (".example.org", "example.org", true),
      ("other.org, example.org", "a.EXAMPLE.org.", true), ("ample.org", "a.example.org", false),
      ("", "a.example.org", false), ("192.0.2.0/24", "192.0.2.77", true),
      ("192.0.2.0/24", "192.0.3.1", false),
      ("192.0.2.0/x", "192.0.2.1", false), ("2001:db8::/32", "[2001:db8::7]", true),
      ("0.2.77", "192.0.2.77", false),
    ])
  func noProxy(list: String, host: String, isExcepted: Bool) {
    let found = destination("https://\(host)/", ["https_proxy": "http://p:3128", "no_proxy": list])
    #expect((found?.proxy == "") == isExcepted)
  }
}
