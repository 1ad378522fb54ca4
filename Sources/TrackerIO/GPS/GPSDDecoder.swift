import CGPS
import Glibc
import TrackerBase
import TrackerWire

/// Turns gpsd's lines into events, with libgps where they are of fixes.
final class GPSDDecoder {
  private let decoder: OpaquePointer
  /// gpsd sends HDOP and satellites apart from the fix (SKY), and newer ones even apart from each other.
  private struct Sky {
    /// By its path; empty: what names none, for devices that have nothing of their own.
    var device: String
    var hdop: Double?
    var satellites: Int?
    /// What has come since the last report.
    var view: SkyView?
  }

  /// Of each device one. A list is searched faster than a dictionary: there is mostly one, and its path is short.
  private var skies: [Sky] = []
  /// The line that is being decoded, ended by NUL, which libgps writes into.
  private var text: [UInt8] = []
  /// gpsd of Debian has 4 at most; each that was plugged in anew may have a new path.
  private static let mostDevices = 32

  init() throws(GPSDError) {
    guard let decoder = cgps_new() else { throw .outOfMemory }
    self.decoder = decoder
  }

  deinit { cgps_free(decoder) }

  /// What `line`, without its line end, says; nil for everything that the agent does not need.
  func decode(_ line: [UInt8]) -> GPSDEvent? {
    let length = (line.lastIndex { $0 > 0x20 } ?? -1) + 1
    if begins(line, with: #"{"class":"DEVICE"#) { return devices(Array(line[..<length])) }
    if begins(line, with: "b562") { return bytes(ofHex: line[..<length]).map { .frame($0) } }
    text.removeAll(keepingCapacity: true)
    text += line[..<length]
    text.append(0)
    var message = cgps_message()
    text.withUnsafeMutableBufferPointer { cgps_decode(decoder, $0.baseAddress, &message) }
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
    let place = place(of: device)
    if let hdop { skies[place].hdop = hdop }
    // A SKY without satellites but with a HDOP is one that only brings the HDOP.
    if message.has_satellites && (message.satellites_visible > 0 || hdop == nil) {
      skies[place].satellites = Int(message.satellites_used)
      let cn0_dBHz = message.cn0_best4_dbhz
      skies[place].view = SkyView(
        heard: Int(message.satellites_heard), cn0_dBHz: cn0_dBHz.isNaN ? nil : cn0_dBHz)
    }
  }

  /// Makes one if there is none.
  private func place(of device: String) -> Int {
    if let place = skies.firstIndex(where: { $0.device == device }) { return place }
    if skies.count >= Self.mostDevices { skies = [] }
    skies.append(Sky(device: device))
    return skies.count - 1
  }

  private func report(_ message: cgps_message, of device: String) -> GPSReport {
    var report = GPSReport(mode: message.mode == 2 || message.mode == 3 ? Int(message.mode) : 1)
    report.device = device.isEmpty ? nil : device
    report.time_ms = message.has_time ? time_ms(message) : nil
    let place = skies.firstIndex { $0.device == device } ?? skies.firstIndex { $0.device.isEmpty }
    if let place {
      (report.satellites, report.sky) = (skies[place].satellites, skies[place].view)
      skies[place].view = nil
    }
    report.antennaFault = GPSReport.AntennaFault(gpsd: Int(message.antenna))
    guard report.mode >= 2 else {
      // The next fix needs a HDOP of its own.
      if let place { skies[place].hdop = nil }
      return report
    }
    report.hdop = place.flatMap { skies[$0].hdop }
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

private func begins(_ line: [UInt8], with word: StaticString) -> Bool {
  line.count >= word.utf8CodeUnitCount && memcmp(line, word.utf8Start, word.utf8CodeUnitCount) == 0
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
