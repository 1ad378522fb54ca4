import CHost
import Foundation

/// A GPS receiver on a pseudo-terminal of its own, at a place of its own, that speaks while the test asks it to.
final class PlayedReceiver {
  /// As gpsd is to open it, and names it.
  let path: String
  let longitude_deg: Double
  var isSilent = false
  /// What gpsd has sent to it, each byte as one scalar.
  private(set) var heard = ""
  private let terminal: Int32
  private var second = 0

  init(longitude_deg: Double) {
    var path = [CChar](repeating: 0, count: 64)
    terminal = chost_open_pty(&path, 64)
    self.path = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.longitude_deg = longitude_deg
    _ = fcntl(terminal, F_SETFL, O_NONBLOCK)
  }

  deinit { close(terminal) }

  /// Once a second: 15 m/s to the north, by the machine's clock, so that all receivers are in one vehicle.
  func play() {
    let now = Int(Date().timeIntervalSince1970)
    guard now != second else { return }
    second = now
    guard !isSilent else { return }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(terminal, &bytes, bytes.count)
    heard.unicodeScalars += bytes.prefix(max(0, count)).map { Unicode.Scalar($0) }
    let latitude_deg = 47 + Double(now % 36_000) * 15 / 111_195
    let place = "\(minutes(latitude_deg, digits: 2)),N,\(minutes(longitude_deg, digits: 3)),E"
    let time = utc(now)
    let epoch =
      sentence("GPGGA,\(time.clock),\(place),1,08,0.9,410.0,M,47.0,M,,")
      + sentence("GPRMC,\(time.clock),A,\(place),29.16,0.00,\(time.date),,,A")
    _ = Array(epoch.utf8).withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
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
