import TrackerCore
import TrackerReplay
import Glibc
struct TrackError: Error { var description: String }
enum TrackFile {
  static func read(path: String) throws -> RecordedTrack {
    var reports: [GPSReport] = []
    guard let f = fopen(path, "r") else { throw TrackError(description: "open") }
    var buffer = [CChar](repeating: 0, count: 1000)
    _ = fgets(&buffer, 1000, f)
    while fgets(&buffer, 1000, f) != nil {
      let c = String(cString: buffer).split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != "\n" && $0 != "\r" } }
      guard c.count >= 10 else { continue }
      reports.append(GPSReport(mode: Int(c[7]) ?? 3, time_ms: Int64(c[0]), latitude_deg: Double(c[1]), longitude_deg: Double(c[2]), altitude_m: Double(c[3]), speed_mps: Double(c[4]), course_deg: Double(c[5]), accuracy_m: Double(c[6]), hdop: Double(c[9]), satellites: Int(c[8])))
    }
    return RecordedTrack(name: path, reports: reports)!
  }
}
