import TrackerCore

/// Times as the clock on the wall shows them where the vehicle is.
struct ReportClock {
  let zone: any ZoneRules
  /// `Europe/Zurich`
  let name: String

  /// Milliseconds since 1970-01-01 00:00 on the wall.
  func local_ms(_ time_ms: Int64) -> Int64 {
    time_ms + Int64(zone.offset_s(at: time_ms.flooredDivision(by: 1000))) * 1000
  }

  /// The first instant at which the wall shows it.
  func instant_ms(local_ms: Int64) -> Int64 {
    zone.firstInstant(reaching: local_ms.flooredDivision(by: 1000)) * 1000
  }

  private func local(_ span: Span) -> Span {
    Span(start_ms: local_ms(span.start_ms), end_ms: local_ms(span.end_ms))
  }

  func day(_ time_ms: Int64) -> String { ReportText.day(local_ms(time_ms)) }
  func clock(_ time_ms: Int64) -> String { ReportText.clock(local_ms(time_ms)) }

  /// The clock alone where the whole lies within one day, else with the date before it.
  func time(_ time_ms: Int64, within span: Span) -> String {
    ReportText.time(local_ms(time_ms), within: local(span))
  }

  /// `2026-01-01 00:00:00 UTC+1`
  func dateTime(_ time_ms: Int64) -> String { "\(ReportText.dateTime(local_ms(time_ms))) \(label(time_ms))" }

  /// `2026-01-01 08:00:00 to 17:30:00 UTC+1`
  func fromTo(_ span: Span) -> String { "\(ReportText.fromTo(local(span))) \(label(span.end_ms))" }

  /// `UTC`, `UTC+1`, `UTC-3:30`: what a summer and a winter are told apart by.
  func label(_ time_ms: Int64) -> String {
    let offset_s = zone.offset_s(at: time_ms.flooredDivision(by: 1000))
    if offset_s == 0 { return "UTC" }
    let minutes = abs(offset_s) / 60
    let rest = minutes % 60 == 0 ? "" : ":" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60)"
    return "UTC\(offset_s < 0 ? "-" : "+")\(minutes / 60)\(rest)"
  }
}

extension ReplayResult {
  var clock: ReportClock { ReportClock(zone: zone, name: zoneName) }
}
