import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("The server's URL")
struct SettingsServerURLTests {
  @Test(
    "reports what leaves this machine",
    arguments: [
      ("https://tracking.example/locations", "tracking.example", false),
      ("HTTPS://Tracking.Example:8443", "tracking.example", false),
      ("http://127.0.0.1:8080/x", "127.0.0.1", true),
      ("http://127.255.0.1", "127.255.0.1", true),
      ("http://localhost?x", "localhost", true),
      ("http://[::1]:8080/", "::1", true),
      ("http://[fe80::1]/", "fe80::1", false),
      // What looks like loopback and is not.
      ("http://127.0.0.1.example/", "127.0.0.1.example", false),
      ("http://127.evil.example", "127.evil.example", false),
      ("http://127.1", "127.1", false),
      ("http://localhost.example", "localhost.example", false),
      ("http://128.0.0.1", "128.0.0.1", false),
    ])
  func host(text: String, host: String, isLoopback: Bool) throws {
    let url = try ServerURL(text)
    #expect(url.host == host)
    #expect(url.isLoopback == isLoopback)
    #expect(url.isEncrypted == text.lowercased().hasPrefix("https"))
  }

  @Test(
    "is refused with the reason",
    arguments: [
      ("ftp://tracking.example", "must begin with https:// or mqtts://"),
      ("tracking.example/locations", "must begin with https:// or mqtts://"),
      ("https://", "has no valid host"),
      ("https:///locations", "has no valid host"),
      ("https://[::1", "has no valid host"),
      ("https://[::1]x/", "has no valid host"),
      ("https://[]:1/", "has no valid host"),
      ("https://a:b:1/", "has no valid host"),
      ("https://exa%6dple/", "has no valid host"),
      ("https://tracking.example:/", "has no valid port"),
      ("https://tracking.example:0/", "has no valid port"),
      ("https://tracking.example:65536/", "has no valid port"),
      ("https://tracking.example/a b", "contains a character that a URL may not have"),
      ("https://tracking.example\\@127.0.0.1", "contains a character that a URL may not have"),
      ("https://tracking.exämple", "contains a character that a URL may not have"),
      (
        "https://me:secret@tracking.example",
        "may not hold a user or a password: put the token into a file (sync.token_file)"
      ),
    ])
  func flaw(text: String, reason: String) {
    #expect(throws: ServerURL.ParseError(reason: reason)) { try ServerURL(text) }
  }

  // MARK: MQTT

  @Test(
    "of a broker: user, port, and the topic with the device's name in it",
    arguments: [
      ("mqtts://broker.example/fleet/{device}/records", "", nil, "fleet/van 7/records"),
      ("MQTTS://me@Broker.Example:8884/records", "me", 8884, "records"),
      ("mqtt://a%40b%3ac@127.0.0.1:1883/{device}", "a@b:c", 1883, "van 7"),
      ("mqtt://[::1]/a/{device}{device}/", "", nil, "a/van 7van 7/"),
      ("mqtts://broker.example//%C3%BC%20b%3F", "", nil, "/ü b?"),
      ("mqtts://broker.example/$aws/rules/x", "", nil, "$aws/rules/x"),
    ] as [(String, String, Int?, String)])
  func broker(text: String, user: String, port: Int?, topic: String) throws {
    let url = try ServerURL(text)
    #expect(url.isMQTT)
    #expect(url.isEncrypted == text.lowercased().hasPrefix("mqtts"))
    #expect(url.user == user)
    #expect(url.port == port)
    #expect(url.topic(for: "van 7") == topic)
    #expect((url.topic(for: "van 8") != topic) == text.contains("{device}"))
  }

  @Test(
    "of a broker is refused with the reason",
    arguments: [
      ("mqtts://broker.example", "has no topic: name it behind the host, such as /fleet/{device}/records"),
      ("mqtts://broker.example/", "has no topic: name it behind the host, such as /fleet/{device}/records"),
      ("mqtts://broker.example?a", "has no topic: name it behind the host, such as /fleet/{device}/records"),
      (
        "mqtts://broker.example/a/+/b",
        "may not hold +, # or a control character in the topic: records go to one topic"
      ),
      (
        "mqtts://broker.example/a/#",
        "may not hold +, # or a control character in the topic: records go to one topic"
      ),
      (
        "mqtts://broker.example/a%23",
        "may not hold +, # or a control character in the topic: records go to one topic"
      ),
      (
        "mqtts://broker.example/a%00",
        "may not hold +, # or a control character in the topic: records go to one topic"
      ),
      ("mqtts://broker.example/a?b", "may not hold a ? in the topic: write %3F"),
      ("mqtts://broker.example/a%2", "has a % in the topic that does not stand for a character of UTF-8"),
      ("mqtts://broker.example/a%+1", "has a % in the topic that does not stand for a character of UTF-8"),
      ("mqtts://broker.example/%FF", "has a % in the topic that does not stand for a character of UTF-8"),
      (
        "mqtts://broker.example/$share/fleet/records",
        "may not begin its topic with $share/, which is for subscribers: leave it away"
      ),
      (
        "mqtts://broker.example/" + String(repeating: "x", count: 64_000) + "/{device}",
        "has a topic that may be longer than MQTT's 65535 bytes, with the longest device_id and /ack behind it: shorten it"
      ),
      ("mqtts://broker.example/{Device}", "may hold {device} in the topic, and no other braces"),
      ("mqtts://broker.example/{device}}", "may hold {device} in the topic, and no other braces"),
      ("mqtts://broker.example/a{", "may hold {device} in the topic, and no other braces"),
      ("mqtts://broker.example/ü", "contains a character that a URL may not have"),
      ("https://tracking.example/{device}", "contains a character that a URL may not have"),
      ("mqtts://{device}/a", "has no valid host"),
      ("mqtts://broker.example:99999/a", "has no valid port"),
      ("mqtts://me:secret@broker.example/a", "may not hold a password: put it into a file (sync.token_file)"),
      ("mqtts://@broker.example/a", "has no valid user"),
      ("mqtts://a%00@broker.example/a", "has no valid user"),
    ])
  func brokerFlaw(text: String, reason: String) {
    #expect(throws: ServerURL.ParseError(reason: reason)) { try ServerURL(text) }
  }

  @Test("a device's name is one level of the topic, whatever is in it; one that is too long has no topic")
  func device() throws {
    let url = try ServerURL("mqtts://broker.example/fleet/{device}/records")
    #expect(url.topic(for: "a/+#%ü") == "fleet/a%2F%2B%23%25%C3%BC/records")
    #expect(url.topic(for: String(repeating: "x", count: 65_530)) == nil)
    #expect(try ServerURL("mqtts://broker.example/fleet").topic(for: "#") == "fleet")
  }
}
