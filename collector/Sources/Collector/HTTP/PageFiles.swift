import Foundation
import Hummingbird

/// The files of the pages, read once at the start: our own, and Leaflet's as Debian's libjs-leaflet installs it.
public struct PageFiles: Sendable {
  struct File: Sendable {
    var type: String
    var bytes: ByteBuffer
    /// The same as gzip; nil for what does not get smaller.
    var packed: ByteBuffer?
    /// Weak, because both forms have it.
    var tag: String
  }

  /// By their path.
  private(set) var files: [String: File] = [:]

  /// None: the collector then serves devices and programs alone.
  public init() {}

  /// - Parameters:
  ///   - own: the folder of `index.html`.
  ///   - leaflet: where there is none the pages do without a map, and say so.
  public init(own: String, leaflet: String?) throws {
    for name in try Self.names(in: own) {
      files[name == "index.html" ? "/" : "/pages/\(name)"] = try Self.read("\(own)/\(name)")
    }
    guard files["/"] != nil else { throw PageError.noIndex(own) }
    guard let leaflet else { return }
    for (name, source) in [
      ("leaflet.js", "leaflet.min.js"), ("leaflet.js", "leaflet.js"), ("leaflet.css", "leaflet.css"),
    ]
    where files["/leaflet/\(name)"] == nil {
      files["/leaflet/\(name)"] = try? Self.read("\(leaflet)/\(source)")
    }
    for name in (try? Self.names(in: "\(leaflet)/images")) ?? [] {
      files["/leaflet/images/\(name)"] = try? Self.read("\(leaflet)/images/\(name)")
    }
  }

  public var hasMap: Bool { files["/leaflet/leaflet.js"] != nil }

  /// Where our own are: beside a program that was built here, or as the package installs them. Nil: nowhere.
  public static func usualFolder(of program: String) -> String? {
    let beside = URL(fileURLWithPath: program).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "godwit-collector_Collector.resources/Pages").path
    return [beside, "/usr/share/godwit-collector/pages"].first {
      FileManager.default.fileExists(atPath: "\($0)/index.html")
    }
  }

  private static func names(in folder: String) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder).filter { type(of: $0) != nil }
        .sorted()
    } catch {
      throw PageError.cannotRead(folder, words: error.localizedDescription)
    }
  }

  private static func read(_ path: String) throws -> File {
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw PageError.cannotRead(path, words: error.localizedDescription)
    }
    let tag = Digest.sha256(data).prefix(12).hex
    return File(
      type: type(of: path) ?? "", bytes: ByteBuffer(bytes: data),
      packed: ContentEncoding.packed([UInt8](data)).map { ByteBuffer(bytes: $0) }, tag: "W/\"\(tag)\"")
  }

  private static func type(of name: String) -> String? {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "json": "application/json; charset=utf-8"
    case "png": "image/png"
    case "svg": "image/svg+xml"
    case "webmanifest": "application/manifest+json"
    default: nil
    }
  }
}

/// Why the pages cannot be shown.
public enum PageError: Error, Equatable, CustomStringConvertible {
  case cannotRead(String, words: String)
  case noIndex(String)

  public var description: String {
    switch self {
    case .cannotRead(let path, let words): "cannot read \(path) of the pages: \(words)"
    case .noIndex(let folder):
      "\(folder) has no index.html: --pages names the folder of the collector's pages"
    }
  }
}

extension Routes {
  func addPages(to router: Router<CollectorContext>) {
    let routes = self
    router.get("/") { request, _ in try routes.page("/", request) }
    router.get("/pages/:name") { request, context in
      try routes.page("/pages/\(try context.parameters.require("name"))", request)
    }
    router.get("/leaflet/:name") { request, context in
      try routes.page("/leaflet/\(try context.parameters.require("name"))", request)
    }
    router.get("/leaflet/images/:name") { request, context in
      try routes.page("/leaflet/images/\(try context.parameters.require("name"))", request)
    }
    router.get("/v1/tiles/:z/:x/:y") { _, context in
      let place = try ["z", "x", "y"].map { Int(try context.parameters.require($0)) ?? -1 }
      return try await routes.map.tile(z: place[0], x: place[1], y: place[2])
    }
  }

  private func page(_ path: String, _ request: Request) throws -> Response {
    guard let file = pages.files[path] else {
      throw Refusal(
        .notFound,
        path == "/"
          ? "this collector has no pages: --pages names their folder" : "there is nothing at this path")
    }
    var headers: HTTPFields = [
      .contentType: file.type, .eTag: file.tag, .vary: "Accept-Encoding",
      // Asked for again each time, answered with 304: an upgrade is there at once.
      .cacheControl: "no-cache", .contentSecurityPolicy: map.policy,
      .init("X-Content-Type-Options")!: "nosniff", .init("Referrer-Policy")!: "no-referrer",
      .init("Cross-Origin-Opener-Policy")!: "same-origin",
    ]
    if request.headers[.ifNoneMatch] == file.tag { return Response(status: .notModified, headers: headers) }
    var bytes = file.bytes
    if let packed = file.packed, ContentEncoding.isGzipAccepted(request) {
      bytes = packed
      headers[.contentEncoding] = "gzip"
    }
    headers[.contentLength] = String(bytes.readableBytes)
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
  }
}
