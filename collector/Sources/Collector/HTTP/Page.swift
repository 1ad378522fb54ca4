import Hummingbird

/// The fleet at a glance, for a person: one self-contained page without script, renewed every minute.
enum Page {
  static func response(devices: [DeviceSummary], now_ms: Int64) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: "text/html; charset=utf-8",
        .cacheControl: "no-store",
        .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: html(devices: devices, now_ms: now_ms))))
  }

  static func html(devices: [DeviceSummary], now_ms: Int64) -> String {
    let cards = devices.map { card($0, now_ms: now_ms) }.joined(separator: "\n")
    let empty = "<p>No device has reported yet.</p>"
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta http-equiv="refresh" content="60">
      <title>Godwit fleet</title>
      <style>
      \(style)
      </style>
      </head>
      <body>
      <h1>Godwit fleet</h1>
      <p class="note">\(devices.count) \(devices.count == 1 ? "device" : "devices"), \
      as of \(time(now_ms)) UTC</p>
      <main>
      \(devices.isEmpty ? empty : cards)
      </main>
      </body>
      </html>

      """
  }

  private static func card(_ device: DeviceSummary, now_ms: Int64) -> String {
    let position = device.last_position
    var rows = [
      ("Position", position.map { place($0) } ?? "none yet"),
      ("Of", position.map { when($0.timestamp, now_ms: now_ms) } ?? "–"),
      ("Speed", position?.speed.map { "\(Int(($0 * 3.6).rounded())) km/h" } ?? "–"),
      ("Last contact", contact(device, now_ms: now_ms)),
      ("Records", String(device.records)),
    ]
    if let queues = device.queues_at_once {
      rows.append(("Queues", "\(queues) at once: do two devices share this name?"))
    }
    if let conflicts = device.conflicts {
      rows.append(("Refused", refused(conflicts, device, now_ms: now_ms)))
    }
    let list = rows.map { "<dt>\($0)</dt><dd>\($1)</dd>" }.joined(separator: "\n")
    return """
      <section>
      <h2>\(escaped(device.device)) <span>\(state(position?.is_moving))</span></h2>
      <dl>
      \(list)
      </dl>
      </section>
      """
  }

  private static func contact(_ device: DeviceSummary, now_ms: Int64) -> String {
    guard let last = device.last_contact else { return "never: prepared, has not sent yet" }
    return when(last, now_ms: now_ms)
  }

  private static func refused(_ count: Int64, _ device: DeviceSummary, now_ms: Int64) -> String {
    let last = device.last_conflict.map { "; last " + when($0, now_ms: now_ms) } ?? ""
    return
      "\(count) with the identity of other records: do two devices share this name and a copied queue?\(last)"
  }

  private static func state(_ isMoving: Bool?) -> String {
    switch isMoving {
    case true?: "moving"
    case false?: "stationary"
    case nil: "unknown"
    }
  }

  private static func place(_ position: DeviceSummary.LastPosition) -> String {
    let (latitude, longitude) = (degrees(position.latitude), degrees(position.longitude))
    let link = "https://www.openstreetmap.org/?mlat=\(latitude)&amp;mlon=\(longitude)#map=16"
    let accuracy = position.accuracy.map { " ± \(Int($0.rounded(.up))) m" } ?? ""
    return "<a href=\"\(link)/\(latitude)/\(longitude)\" rel=\"noreferrer\">"
      + "\(latitude), \(longitude)</a>\(accuracy)"
  }

  /// Five decimals: about a metre.
  private static func degrees(_ value: Double) -> String {
    let scaled = Int((abs(value) * 100_000).rounded())
    let decimals = String(scaled % 100_000)
    let zeros = String(repeating: "0", count: 5 - decimals.count)
    return "\(value < 0 ? "-" : "")\(scaled / 100_000).\(zeros)\(decimals)"
  }

  private static func when(_ timestamp: String, now_ms: Int64) -> String {
    guard let time_ms = Timestamp.milliseconds(timestamp) else { return escaped(timestamp) }
    return "\(age(now_ms - time_ms)) <small>\(time(time_ms)) UTC</small>"
  }

  /// `2026-01-01 00:00`
  private static func time(_ time_ms: Int64) -> String {
    let text = Timestamp.text(time_ms)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }

  static func age(_ age_ms: Int64) -> String {
    let minutes = age_ms / 60_000
    return switch minutes {
    case ..<(-1): "in the future"
    case ..<1: "just now"
    case ..<120: "\(minutes) min ago"
    case ..<2880: "\(minutes / 60) h ago"
    default: "\(minutes / 1440) days ago"
    }
  }

  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.append(character)
      }
    }
  }

  private static let style = """
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem;
      background: light-dark(#f6f6f4, #16181a); color: light-dark(#1b1d1f, #e6e6e3); }
    h1 { font-size: 1.4rem; margin: 0; }
    .note, small, dt { color: light-dark(#5c6166, #9aa0a6); }
    .note { margin: 0 0 1rem; }
    main { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); }
    section { padding: 1rem; border-radius: .5rem; background: light-dark(#fff, #212427); }
    h2 { font-size: 1.1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
    h2 span { font-size: .8rem; font-weight: normal; padding: .1rem .5rem; border-radius: 1rem;
      background: light-dark(#e8eef4, #2d3a46); }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; }
    dd { margin: 0; }
    small { white-space: nowrap; }
    a { color: light-dark(#0b57a4, #8ab8e8); }
    """
}
