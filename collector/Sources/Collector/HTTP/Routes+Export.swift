import Hummingbird

/// A vehicle's records as a file.
extension Routes {
  private static let page = 1000

  func addExports(to router: Router<CollectorContext>) {
    let routes = self
    router.get("/v1/devices/:device/export.csv") { request, context in
      try await routes.export(request, Self.device(in: context), CSVExport(), "csv")
    }
    router.get("/v1/devices/:device/export.gpx") { request, context in
      let device = try Self.device(in: context)
      return try await routes.export(request, device, GPXExport(device: device), "gpx")
    }
    router.get("/v1/devices/:device/export.geojson") { request, context in
      let device = try Self.device(in: context)
      return try await routes.export(request, device, GeoJSONExport(device: device), "geojson")
    }
  }

  /// Without `from` or `to` the span has no such end.
  private func export<Form: ExportForm>(
    _ request: Request, _ device: String, _ form: Form, _ ending: String
  ) async throws -> Response {
    let from_ms = try Self.time_ms("from", request) ?? .min
    let to_ms = try Self.time_ms("to", request) ?? .max
    // The first page before the answer begins: whoever is unknown, and a database that fails, get a status of their own.
    guard
      let first = try await store.rows(device: device, from: from_ms, to: to_ms, after: nil, limit: Self.page)
    else { throw Refusal.noDevice(device) }
    let body = ResponseBody { writer in
      var form = form
      try await writer.write(ByteBuffer(string: form.head))
      for _ in 0..<Form.walks {
        var rows = first
        while !rows.isEmpty {
          var text = ""
          for row in rows { text += form.text(row) }
          try await writer.write(ByteBuffer(string: text))
          guard rows.count == Self.page, let last = rows.last else { break }
          rows =
            try await store.rows(
              device: device, from: from_ms, to: to_ms, after: last.place, limit: Self.page)
            ?? []
        }
        form.endWalk()
      }
      try await writer.write(ByteBuffer(string: form.tail))
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: Form.type, .cacheControl: "no-store",
        .contentDisposition: Self.attachment("\(device).\(ending)"),
      ], body: body)
  }

  /// RFC 6266: `filename*` has the name as it is, `filename` what every client can read.
  static func attachment(_ name: String) -> String {
    let plain = name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "_" }
    // RFC 8187, 3.2.1: letters, digits and these stand for themselves.
    let encoded = name.utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      guard byte < 0x80, character.isLetter || character.isNumber || "!#$&+-.^_`|~".contains(character) else {
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (byte < 0x10 ? "0" : "") + digits
      }
      return String(character)
    }
    return "attachment; filename=\"\(String(plain))\"; filename*=UTF-8''\(encoded.joined())"
  }
}
