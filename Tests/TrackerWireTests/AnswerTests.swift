import Testing
import TrackerBase

@testable import TrackerWire

/// What a 2xx is worth that names no records.
@Suite("What a reply says of itself")
struct AnswerTests {
  private func answer(
    _ body: String, _ format: SyncSettings.Format = .geomony, accept: String = ""
  ) -> UploadReply.Answer {
    ServerReply.answer(Array(body.utf8), to: format, accept: accept)
  }

  @Test(
    "that it failed",
    arguments: [
      #"{"error":"invalid api key"}"#, #"{"success":false}"#, #"{"success":"false"}"#, #"{"Error":"x"}"#,
      #"{"Success":false}"#, #"{"status":500}"#, #"{"statusCode":"503"}"#, #"{"status":false}"#,
      #"[{"error":"x"}]"#, "false", #"{"ok":false}"#,
      #"{"result":"error"}"#, #"{"result":"KO"}"#, #"{"result":false}"#, #"{"result":-1}"#,
      #"{"status":"error"}"#,
      #"{"status":"fail","data":null}"#, #"{"errors":[{"message":"no such field"}]}"#,
      #"{"error":{"code":7}}"#,
      #"{"error":true}"#, "ERROR: database is locked", "error", " Error 17", "\u{FEFF}error", #""error: no""#,
      "<error>no</error>", "Fatal error: out of memory", "FAILED", "[ERROR] x",
      "\u{FEFF}{\"success\":false}\n<!-- 12 ms -->",
    ])
  func failed(body: String) {
    for format in SyncSettings.Format.allCases { #expect(answer(body, format) == .failed) }
  }

  @Test(
    "nothing of that",
    arguments: [
      "", "OK", "{}", "[]", #"{"result":"ok"}"#, #"{"result":"OK"}"#, #"{"error":null}"#, #"{"error":0}"#,
      #"{"errors":[]}"#, #"{"error":""}"#, #"{"error":false,"success":true}"#, #"{"status":"ok"}"#,
      #"{"status":200}"#, #"{"code":0}"#, #"[{"ok":true}]"#,
      #"{"result":{"n":5}}"#,
      #"{"status":200}"#, "no errors", "terror", "accepted",
    ])
  func other(body: String) { #expect(answer(body) == .other) }

  @Test(
    "owntracks wants an array or object, as its servers give",
    arguments: [
      ("[]", .expected), ("{}", .expected), (#"[{"_type":"cmd"}]"#, .expected), ("\u{FEFF}[]", .expected),
      ("", .unexpected), ("OK", .unexpected), ("5", .unexpected), ("null", .unexpected), ("[", .unexpected),
    ] as [(String, UploadReply.Answer)])
  func ownTracks(body: String, expected: UploadReply.Answer) { #expect(answer(body, .owntracks) == expected) }

  @Test("sync.accept wants its text, and nothing else counts then")
  func accept() {
    #expect(answer("stored 5", accept: "stored") == .accepted)
    #expect(answer(#"{"error":0,"stored":5}"#, accept: "\"stored\"") == .accepted)
    for body in ["", "Stored", "{}", "store"] {
      #expect(answer(body, .owntracks, accept: "stored") == .notAccepted)
    }
  }

  @Test(
    "JSON counts behind and before a mark, a comment and empty lines",
    arguments: [
      "\u{FEFF}%", "<!-- page cache -->%", "%<!-- x -->", "%\n<!-- x -->\n", "/* x */%", "%\0", "\r\n%\r\n",
      "\u{FEFF}\n<!-- a --><!-- b -->%\n/* c */",
    ])
  func around(text: String) {
    let body = Array(text.replacing("%", with: #"{"ack":"1-2"}"#).utf8)
    #expect(ServerReply.parse(body: body)?.echoed(of: [1, 2], queueID: 7) == [1, 2])
    #expect(!WebPage.begins(body))
    let cut = Array(text.replacing("%", with: #"{"ack":"1-2","config":{"#).utf8)
    if text.hasSuffix("%") {
      #expect(ServerReply.parse(beginning: cut)?.echoed(of: [1, 2], queueID: 7) == [1, 2])
    }
  }

  @Test("a page behind a comment is a page, and cut JSON behind one acknowledges nothing")
  func notAround() {
    #expect(WebPage.begins(Array("<!-- portal --><html>".utf8)))
    #expect(WebPage.begins(Array("<!-- {\"ack\":\"1-2\"} -->".utf8)))
    #expect(
      ServerReply.parse(body: Array("<!-- x -->{\"ack\":\"1-2\"".utf8))?.echoed(of: [1, 2], queueID: 7) == [])
    #expect(ServerReply.parse(body: Array("<!-- {\"ack\":\"1-2\"} -->".utf8)) == nil)
  }
}
