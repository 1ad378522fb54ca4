import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import Testing

@testable import Collector

@Suite("The pages")
struct PagesTests {
  private static func own() throws -> String {
    let program = try #require(Bundle.main.executableURL).path
    return try #require(PageFiles.usualFolder(of: program), "the build has put no pages beside \(program)")
  }

  private func folder(_ body: (String) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let images = folder.appending(path: "leaflet/images")
      try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
      for (name, text) in [
        ("leaflet.js", "long"), ("leaflet.min.js", "short"), ("leaflet.css", "style"),
        ("images/layers.png", "png"),
      ] {
        try Data(text.utf8).write(to: folder.appending(path: "leaflet/\(name)"))
      }
      try await body(folder.appending(path: "leaflet").path)
    }
  }

  @Test("go as gzip to those who take it, under the same tag")
  func packed() async throws {
    let files = try PageFiles(own: try Self.own(), leaflet: nil)
    try await withCollector(change: { $0.pages = files }) { client, _ in
      func ground(_ accepted: String, _ tag: String? = nil) async throws -> TestResponse {
        var headers: HTTPFields = [.acceptEncoding: accepted]
        headers[.ifNoneMatch] = tag
        return try await client.execute(
          uri: "/pages/ground.json", method: .get, headers: headers)
      }
      let plain = try await ground("identity")
      let packed = try await ground("br, gzip;q=0.5")
      #expect(plain.headers[.contentEncoding] == nil)
      #expect(packed.headers[.contentEncoding] == "gzip" && packed.headers[.vary] == "Accept-Encoding")
      #expect(packed.body.readableBytes < plain.body.readableBytes / 2)
      let unpacked = try ContentEncoding.gzip.decoded(
        Array(packed.body.readableBytesView), limit: 8 << 20, tooLarge: .badBody("over 8 MiB"))
      #expect(unpacked == Array(plain.body.readableBytesView))
      #expect(packed.headers[.eTag] == plain.headers[.eTag])
      #expect(try await ground("gzip", packed.headers[.eTag]).status == 304)
      #expect(try await ground("gzip;q=0").headers[.contentEncoding] == nil)
    }
  }

  @Test(
    "are served to everybody, since they hold nothing of the fleet, with a policy that lets in nothing from elsewhere"
  )
  func served() async throws {
    try await folder { leaflet in
      let files = try PageFiles(own: try Self.own(), leaflet: leaflet)
      try await withCollector(tokens: "secret", change: { $0.pages = files }) { client, _ in
        let page = try await client.get("/")
        #expect(page.status == 200 && page.headers[.contentType] == "text/html; charset=utf-8")
        #expect(
          page.headers[.contentSecurityPolicy]
            == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "manifest-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        #expect(!page.text.contains("style=") && !page.text.contains("onclick"))
        #expect(
          try await client.get("/pages/app.js").headers[.contentType] == "text/javascript; charset=utf-8")
        #expect(try await client.get("/leaflet/leaflet.js").text == "short")
        #expect(try await client.get("/leaflet/images/layers.png").status == 200)
        for path in [
          "/pages/", "/pages/none.js", "/pages/..%2Findex.html", "/pages/index.html",
          "/leaflet/leaflet.js.map",
        ] {
          #expect(try await client.get(path).status == 404, "\(path)")
        }
      }
    }
  }

  @Test("a page that the browser has is not sent again")
  func notModified() async throws {
    let files = try PageFiles(own: try Self.own(), leaflet: nil)
    try await withCollector(change: { $0.pages = files }) { client, _ in
      let tag = try #require(try await client.get("/").headers[.eTag])
      #expect(try await client.get("/", headers: ["If-None-Match": tag]).status == 304)
      #expect(try await client.get("/", headers: ["If-None-Match": "\"old\""]).status == 200)
    }
  }

  @Test("without them the collector says how to have them, and serves everything else")
  func none() async throws {
    try await withCollector { client, _ in
      let answer = try await client.get("/")
      #expect(answer.status == 404)
      #expect(answer.text == #"{"error":"this collector has no pages: --pages names their folder"}"#)
      #expect(try await client.get("/v1/fleet").status == 200)
    }
  }

  @Test("each file that a page or a module names is there")
  func whole() throws {
    let folder = try Self.own()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    for name in names {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      for match in text.matches(of: /from "\.\/([a-z]+\.js)"|"\/pages\/([a-z.]+)"/) {
        let wanted = String(match.1 ?? match.2 ?? "")
        #expect(names.contains(wanted), "\(name) names \(wanted)")
      }
    }
  }

  @Test("a folder without an index is none")
  func noIndex() async throws {
    try await withTemporaryFolder { folder async throws -> Void in
      #expect(throws: PageError.noIndex(folder.path)) {
        _ = try PageFiles(own: folder.path, leaflet: nil)
      }
    }
  }

  @Test(
    "a server of tiles may send pictures to the page, and no other",
    arguments: [
      ("https://tiles.example.com/{z}/{x}/{y}.png", "https://tiles.example.com"),
      ("https://{s}.tiles.example.com/{z}/{x}/{y}.png?key=1", "https://*.tiles.example.com"),
      ("http://127.0.0.1:8081/{z}/{x}/{y}", "http://127.0.0.1:8081"),
    ])
  func tiles(url: String, origin: String) throws {
    #expect(try MapSource(url: url, attribution: nil).policy.contains("img-src 'self' data: \(origin);"))
  }

  @Test(
    "what is no address of tiles is refused",
    arguments: [
      "", "tiles", "https://tiles.example.com/{z}/{x}.png", "ftp://a/{z}/{x}/{y}", "javascript:{z}{x}{y}",
    ])
  func noTiles(url: String) {
    #expect(throws: MapError.notTiles) { try MapSource(url: url, attribution: nil) }
  }

  @Test("a file of tiles is served with its rows from the north, to who may look")
  func mbtiles() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "streets.mbtiles").path
      let file = try DatabaseQueue(path: path)
      try await file.write { db in
        try db.execute(
          sql: """
            CREATE TABLE metadata (name TEXT, value TEXT);
            INSERT INTO metadata VALUES ('format', 'jpg'), ('maxzoom', '14'), ('attribution', 'A <b>map</b>');
            CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
            INSERT INTO tiles VALUES (2, 1, 3, x'0102');
            """)
      }
      try file.close()
      let map = try MapSource(file: path, attribution: nil)
      try await withCollector(tokens: "secret", change: { $0.map = map }) { client, _ in
        let secret = ["Authorization": "Bearer secret"]
        #expect(try await client.get("/v1/tiles/2/1/0").status == 401)
        let tile = try await client.get("/v1/tiles/2/1/0", headers: secret)
        #expect(tile.status == 200 && tile.headers[.contentType] == "image/jpeg" && tile.text == "\u{1}\u{2}")
        for none in ["2/1/3", "2/4/0", "99/0/0", "a/0/0", "2/-1/0"] {
          #expect(try await client.get("/v1/tiles/\(none)", headers: secret).status == 404, "\(none)")
        }
        let session = try await client.get("/v1/session", headers: secret).text
        #expect(
          session.contains(
            #""map":{"attribution":"A <b>map</b>","max_zoom":14,"tiles":"/v1/tiles/{z}/{x}/{y}"}"#))
        #expect(try await !client.get("/v1/session").text.contains("tiles"))
      }
    }
  }

  @Test("what is no file of pictures is refused in words")
  func notPictures() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "vector.mbtiles").path
      let file = try DatabaseQueue(path: path)
      try await file.write { db in
        try db.execute(
          sql: "CREATE TABLE metadata (name TEXT, value TEXT); INSERT INTO metadata VALUES ('format', 'pbf')")
      }
      try file.close()
      #expect(throws: MapError.notPictures(path, format: "pbf")) {
        try MapSource(file: path, attribution: nil)
      }
      let none = folder.appending(path: "none").path
      #expect(throws: MapError.self) { try MapSource(file: none, attribution: nil) }
    }
  }
}
