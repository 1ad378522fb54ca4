import CGPS
import TrackerCore
import TrackerWire

/// Turns gpsd's lines into events, with libgps where they are of fixes.
final class GPSDDecoder {
  private let decoder: OpaquePointer
  /// gpsd sends HDOP and satellites apart from the fix (SKY), and newer ones even apart from each other.
  private struct Sky {
    var hdop: Double?
    var satellites: Int?
    /// What has come since the last report.
    var view: SkyView?
  }

  /// By the device's path. What names none stands under "", for devices that have nothing of their own.
  private var skies: [String: Sky] = [:]
  /// gpsd of Debian has 4 at most; each that was plugged in anew may have a new path.
  private static let mostDevices = 32

  init() throws(GPSDError) {
    guard let decoder = cgps_new() else { throw .outOfMemory }
    self.decoder = decoder
  }

  deinit { cgps_free(decoder) }

  /// What `line`, without its line end, says; nil for everything that the agent does not need.
  func decode(_ line: [UInt8]) -> GPSDEvent? {
    let end = line.lastIndex { $0 > 0x20 } ?? -1
    let line = line[..<(end + 1)]
    if line.starts(with: #"{"class":"DEVICE"#.utf8) { return devices(Array(line)) }
    if line.starts(with: "b562".utf8) { return bytes(ofHex: line).map { .frame($0) } }
    var text = line.map { CChar(bitPattern: $0) } + [0]
    var message = cgps_message()
    cgps_decode(decoder, &text, &message)
    let device = String(cString: cgps_device(decoder))
    noteSky(message, of: device)
    if message.has_report { return .report(report(message, of: device)) }
    if message.has_error { return .error(GPSDComplaint(message: String(cString: cgps_error_text(decoder)))) }
    return nil
  }

  /// A DEVICES, or a DEVICE.
  private func devices(_ line: [UInt8]) -> GPSDEvent? {
    guard let message = JSONReader.parse(line) else { return nil }
    let all = message["devices"]?.array
    return .devices(
      (all ?? [message]).compactMap { device in
        guard let path = device["path"]?.string else { return nil }
        // An open device has a date there, a closed one 0 or nothing.
        return GPSDDevice(
          path: path, driver: device["driver"]?.string, isOpen: device["activated"]?.string != nil)
      }, areAll: all != nil)
  }

  private func noteSky(_ message: cgps_message, of device: String) {
    // Receivers fill the field with 99.9 or 99.99 when they have no figure.
    let hdop = sane(message.hdop).flatMap { $0 > 0 && $0 < 99 ? $0 : nil }
    guard hdop != nil || message.has_satellites else { return }
    if skies[device] == nil, skies.count >= Self.mostDevices { skies = [:] }
    var sky = skies[device] ?? Sky()
    defer { skies[device] = sky }
    if let hdop { sky.hdop = hdop }
    // A SKY without satellites but with a HDOP is one that only brings the HDOP.
    if message.has_satellites && (message.satellites_visible > 0 || hdop == nil) {
      sky.satellites = Int(message.satellites_used)
      let cn0_dBHz = message.cn0_best4_dbhz
      sky.view = SkyView(
        heard: Int(message.satellites_heard), cn0_dBHz: cn0_dBHz.isNaN ? nil : cn0_dBHz)
    }
  }

  private func report(_ message: cgps_message, of device: String) -> GPSReport {
    var report = GPSReport(mode: message.mode == 2 || message.mode == 3 ? Int(message.mode) : 1)
    report.device = device.isEmpty ? nil : device
    report.time_ms = message.has_time ? time_ms(message) : nil
    let named = skies[device] == nil ? "" : device
    report.satellites = skies[named]?.satellites
    report.sky = skies[named]?.view
    skies[named]?.view = nil
    report.antennaFault = GPSReport.AntennaFault(gpsd: Int(message.antenna))
    guard report.mode >= 2 else {
      // The next fix needs a HDOP of its own.
      skies[named]?.hdop = nil
      return report
    }
    report.hdop = skies[named]?.hdop
    report.latitude_deg = sane(message.latitude_deg)
    report.longitude_deg = sane(message.longitude_deg)
    report.altitude_m = report.mode == 3 ? sane(message.altitude_msl_m) : nil
    report.speed_mps = positive(message.speed_mps)
    report.course_deg = positive(message.track_deg).flatMap { $0 <= 360 ? ($0 == 360 ? 0 : $0) : nil }
    report.accuracy_m = horizontalError_m(message)
    report.altitudeAccuracy_m = report.mode == 3 ? positive(message.epv_m) : nil
    report.speedAccuracy_mps = positive(message.eps_mps)
    report.courseAccuracy_deg = positive(message.epd_deg)
    return report
  }

  /// gpsd's own estimate, else the larger of the errors east and north, as gpsd's clients mix them (`EMIX`).
  private func horizontalError_m(_ message: cgps_message) -> Double? {
    if let error_m = positive(message.eph_m) { return error_m }
    guard let east_m = positive(message.epx_m), let north_m = positive(message.epy_m) else { return nil }
    return max(east_m, north_m)
  }

  /// nil outside the years 1970 to 9999.
  private func time_ms(_ message: cgps_message) -> Int64? {
    guard (1..<253_402_300_800).contains(message.time_s) else { return nil }
    guard (0..<1_000_000_000).contains(message.time_ns) else { return nil }
    return message.time_s * 1000 + message.time_ns / 1_000_000
  }
}

extension GPSReport.AntennaFault {
  /// As gpsd numbers them (`ANT_OPEN` and `ANT_SHORT` of its gps.h).
  fileprivate init?(gpsd number: Int) {
    switch number {
    case 2: self = .open
    case 3: self = .short
    default: return nil
    }
  }
}

/// nil for NaN, which stands for "not given", for -0, which libgps makes of the text "-nan", and for what no instrument
/// measures.
private func sane(_ number: Double) -> Double? {
  let isMinusZero = number == 0 && number.sign == .minus
  return number.magnitude < 1e9 && !isMinusZero ? number : nil
}

/// nil if there is anything else in it.
private func bytes(ofHex digits: ArraySlice<UInt8>) -> [UInt8]? {
  let text = String(decoding: digits, as: UTF8.self)
  guard text.utf8.count % 2 == 0, text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
    return nil
  }
  let values = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
}

private func positive(_ number: Double) -> Double? { sane(number).flatMap { $0 >= 0 ? $0 : nil } }
