import Foundation
import Hummingbird

/// Reports of the fleet, as JSON for the pages and as CSV for spreadsheets.
extension Routes {
  private static let longest_ms: Int64 = 400 * 86_400_000

  func addReports(to router: Router<CollectorContext>) {
    let routes = self
    router.get("/v1/reports/:report") { request, context in
      try await routes.report(request, try context.parameters.require("report"))
    }
  }

  private func report(_ request: Request, _ name: String) async throws -> Response {
    let isFile = name.hasSuffix(".csv")
    guard let kind = ReportTable.Kind(rawValue: isFile ? String(name.dropLast(4)) : name) else {
      let all = ReportTable.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw Refusal(.notFound, "there is no such report: \(all), each also with .csv")
    }
    guard let from_ms = try Self.time_ms("from", request), let to_ms = try Self.time_ms("to", request) else {
      throw Refusal(.badRequest, "the request needs `from` and `to`, RFC 3339 dates and times")
    }
    guard from_ms < to_ms, to_ms - from_ms <= Self.longest_ms else {
      throw Refusal(
        .badRequest, "`to` must be later than `from`, by \(Self.longest_ms / 86_400_000) days at most")
    }
    let query = request.uri.queryParameters
    let zoneName = query["zone"].map(String.init) ?? "UTC"
    guard let zone = TimeZone(identifier: zoneName) else {
      throw Refusal(.badRequest, "`zone` is no time zone: write it as in Europe/Zurich")
    }
    let scope = ReportScope(
      from_ms: from_ms, to_ms: to_ms, group: query["group"].map(String.init),
      devices: query[values: "device"].map(String.init))
    let outside = try query["outside"].map { text in
      guard let hours = WorkingHours(text) else {
        throw Refusal(.badRequest, "`outside` must be hours of the day, as in 06:00-18:30")
      }
      return hours
    }
    try await fleet.places.refresh(from: store, at: now_ms())
    let reports = Reports(
      store: store, places: fleet.places, scope: scope, zone: zone, outside: outside,
      now_ms: now_ms())
    let table = try await reports.table(kind)
    guard table.rows.count <= ReportTable.most else {
      throw Refusal(
        .contentTooLarge,
        "the report has more than \(ReportTable.most) rows: choose a shorter span, a group or single vehicles"
      )
    }
    guard isFile else { return Response.json(table) }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/csv; charset=utf-8; header=present", .cacheControl: "no-store",
        .contentDisposition: Self.attachment(name),
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: table.csv(in: zone))))
  }
}
