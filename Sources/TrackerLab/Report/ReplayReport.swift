import TrackerCore

/// Results as one HTML page that needs nothing else: its script draws the JSON in it, and makes no request.
public enum ReplayReport {
  /// - Parameter isSweep: the results of each track are named by the values of one setting.
  public static func html(_ results: [ReplayResult], isSweep: Bool = false) -> String {
    ReportTemplate.page(data: embedded(ReportJSON.text(results, isSweep: isSweep)))
  }

  /// JSON has `<` within strings alone, where its escape means the same. Without it no text can end the element that
  /// holds the JSON.
  private static func embedded(_ json: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(json.utf8.count)
    for byte in json.utf8 {
      if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
