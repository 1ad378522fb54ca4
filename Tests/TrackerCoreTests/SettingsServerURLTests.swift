import Testing

@testable import TrackerCore

@Suite("The server's URL")
struct SettingsServerURLTests {
  @Test(
    "tells what leaves this machine",
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
      ("ftp://tracking.example", "must begin with https://"),
      ("tracking.example/locations", "must begin with https://"),
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
    #expect(throws: ServerURL.Flaw(reason: reason)) { try ServerURL(text) }
  }
}
