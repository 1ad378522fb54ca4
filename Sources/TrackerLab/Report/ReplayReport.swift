/// Results as one HTML page that needs nothing else: the script in report.html draws the JSON, and makes no request.
public enum ReplayReport {
  /// What report.html has in place of the data, so that a browser can open it as it is.
  private static let slot = #"{"tracks": []}"#.utf8

  /// - Parameter isSweep: the results of each track are named by the values of one setting.
  public static func html(_ results: [ReplayResult], isSweep: Bool = false) -> String {
    var page = PackageResources.report_html
    guard let place = page.firstRange(of: slot) else { preconditionFailure("report.html has no slot") }
    // JSON has `<` only within strings, where its escape means the same. Without it no text can end the element that
    // holds the JSON. Bytes are compared: with a combining mark behind it `<` is another Character.
    let json = ReportJSON.text(results, isSweep: isSweep).utf8
    let pieces = json.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
    page.replaceSubrange(place, with: Array(pieces.joined(separator: "\\u003c".utf8)))
    return String(decoding: page, as: UTF8.self)
  }
}
