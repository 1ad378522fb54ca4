import Foundation

/// A GPS receiver on a pseudo-terminal of its own, at a place of its own, that speaks while the test asks it to.
final class PlayedReceiver {
  var path: String { terminal.path }
  let longitude_deg: Double
  var isSilent = false
  /// What gpsd has sent to it, each byte as one scalar.
  private(set) var heard = ""
  private let terminal = PlayedTerminal()
  private var second = 0

  init(longitude_deg: Double) {
    self.longitude_deg = longitude_deg
  }

  /// Once a second: 15 m/s to the north, by the machine's clock, so that all receivers are in one vehicle.
  func play() {
    let now = Int(Date().timeIntervalSince1970)
    guard now != second else { return }
    second = now
    guard !isSilent else { return }
    heard.unicodeScalars += terminal.read().map { Unicode.Scalar($0) }
    let latitude_deg = 47 + Double(now % 36_000) * 15 / 111_195
    let place = "\(minutes(latitude_deg, digits: 2)),N,\(minutes(longitude_deg, digits: 3)),E"
    let time = utc(now)
    let epoch =
      sentence("GPGGA,\(time.clock),\(place),1,08,0.9,410.0,M,47.0,M,,")
      + sentence("GPRMC,\(time.clock),A,\(place),29.16,0.00,\(time.date),,,A")
    terminal.write(Array(epoch.utf8))
  }

  private func utc(_ s: Int) -> (clock: String, date: String) {
    var (time, parts) = (time_t(s), tm())
    gmtime_r(&time, &parts)
    func joined(_ numbers: Int32...) -> String {
      numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
    }
    return (
      joined(parts.tm_hour, parts.tm_min, parts.tm_sec) + ".00",
      joined(parts.tm_mday, parts.tm_mon + 1, parts.tm_year % 100)
    )
  }

  /// ddmm.mmmmm, with so many digits of degrees.
  private func minutes(_ degrees: Double, digits: Int) -> String {
    let whole = Int(degrees)
    return String(format: "%0\(digits)d%08.5f", whole, (degrees - Double(whole)) * 60)
  }

  private func sentence(_ text: String) -> String {
    "$\(text)*" + String(format: "%02X\r\n", text.utf8.reduce(0, ^))
  }
}
