import Testing

@testable import TrackerWire

/// What portals, proxies and carriers answer in place of the server: FAULTS 41 and 66.
@Suite("Web pages")
struct WebPageTests {
  @Test("what a refusal says to a person, from a page or JSON, without a place")
  func words() {
    func words(_ body: String) -> String { ServerReply.words(in: Array(body.utf8), secrets: ["s3cret"]) }
    let nginx =
      "<html>\r\n<head><title>400 No required SSL certificate was sent</title></head>\r\n<body></body></html>"
    #expect(words(nginx) == "400 No required SSL certificate was sent")
    #expect(ServerReply.isAboutCertificate(status: 400, words: words(nginx)))
    #expect(!ServerReply.isAboutCertificate(status: 400, words: "bad time"))
    #expect(words("{\"detail\":\"no such device\"}") == "no such device")
    #expect(words("<TITLE>at 47.3769, 8.5417</TITLE>") == "at … …")
    #expect(words("<title>s3cret</title>").isEmpty && words("plain").isEmpty && words("<title>cut").isEmpty)
  }

  static let pages = [
    "<!DOCTYPE html><html>", "<!doctype\n  HTML PUBLIC \"-//W3C//DTD XHTML 1.0\">",
    "\u{FEFF} \r\n<HTML lang=de>",
    "<!-- portal --><html>", "<script>location='http://login'</script>", "<head>",
    "<TITLE>Success</TITLE>log in",
    "<h1>Recharge your SIM</h1>", "<center><b>Out of data</b></center>", "<frameset>",
    "<meta http-equiv=refresh>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0\"><html>",
    "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\">",
    "<?xml version=\"1.0\"?>\n<?xml-stylesheet href=\"a.xsl\"?>\n<html:html>",
    "<?xml version=\"1.0\"?><WISPAccessGatewayParam><Redirect>", "<WISPAccessGatewayParam xmlns:xsi=\"x\">",
    "<wml><card>", "<p>credit", "<br/>",
  ]

  static let answers = [
    "", "OK", "[]", "{\"ack\":[]}", " \n{}", "<ack/>", "<pong>", "a <html>", "<", "<?xml",
    "<?xml version=\"1.0\"?>",
    "<?xml version=\"1.0\"?><response>ok</response>", "<!DOCTYPE ack>", "<!", "< html>", "\0\0",
  ]

  private func everyCoding(of text: String) -> [[UInt8]] {
    [Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8)]
  }

  @Test("are known by how they begin", arguments: pages)
  func page(text: String) {
    // A mark of its own before another mark would be a third character of none.
    for body in everyCoding(of: text.filter { $0 != "\u{FEFF}" }) { #expect(WebPage.begins(body), "\(body)") }
    #expect(WebPage.begins(Array(text.utf8)))
  }

  @Test("are not what a program answers", arguments: answers)
  func answer(text: String) {
    for body in everyCoding(of: text) { #expect(!WebPage.begins(body), "\(body)") }
  }

  @Test("no bytes are too strange")
  func noise() {
    for first in UInt8.min...UInt8.max {
      for second in [0, 0x3C, 0xFE, 0xFF] as [UInt8] {
        for rest in [[], [0], [0x3C, 0x21], [0xD8, 0x00, 0xDC]] as [[UInt8]] {
          _ = WebPage.begins([first, second] + rest)
        }
      }
    }
  }
}
