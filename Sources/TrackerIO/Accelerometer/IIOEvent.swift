import Glibc

/// The event of an accelerometer's driver that says "it moves": the files in its `events` folder.
///
/// Taken are the kinds that leave gravity out: the rate of change, and magnitudes against a reference or behind a high
/// pass. A plain threshold (`thresh`) would be exceeded by gravity alone, or never, as the chip happens to lie.
struct IIOEvent {
  /// Each axis has one, or all of them one together.
  private let switches: [String]
  private let values: [String]
  /// In which unit the driver wants it; nil: in m/s².
  private let scale_mps2: Double?

  static let kinds = ["roc", "mag_adaptive", "thresh_adaptive", "mag_referenced", "mag"]
  static let directions = ["rising", "either"]

  /// - Returns: nil where there is none of these.
  init?(in folder: String, scale_mps2: Double?) {
    let names = FolderEntry.all(in: folder).map(\.name).filter { $0.hasPrefix("in_accel_") }.sorted()
    for kind in IIOEvent.kinds {
      for direction in IIOEvent.directions {
        func paths(_ attribute: String) -> [String] {
          let ending = "_\(kind)_\(direction)_\(attribute)"
          return names.filter { $0.hasSuffix(ending) && IIOEvent.isOfAxes($0, ending: ending) }
            .map { "\(folder)/\($0)" }
        }
        let (switches, values) = (paths("en"), paths("value"))
        guard !switches.isEmpty, !values.isEmpty else { continue }
        (self.switches, self.values) = (switches, values)
        self.scale_mps2 = scale_mps2
        return
      }
    }
    return nil
  }

  /// `in_accel_x_roc_rising_en`, `in_accel_x&y&z_mag_rising_en` and `in_accel_roc_rising_value`, but no
  /// `in_accel_x_thresh_mag_…`.
  private static func isOfAxes(_ name: String, ending: String) -> Bool {
    let middle = name.dropFirst("in_accel".count).dropLast(ending.count).drop { $0 == "_" }
    return middle.allSatisfy { "xyz&|".contains($0) }
  }

  /// - Parameter above_mps2: nil: it is switched off.
  func set(_ above_mps2: Double?) throws(AccelerometerError) {
    guard let above_mps2 else {
      for path in switches { try write("0", to: path) }
      return
    }
    for path in values { try write(text(of: above_mps2), to: path) }
    for path in switches { try write("1", to: path) }
  }

  private func text(of mps2: Double) -> String {
    guard let scale_mps2, scale_mps2 > 0 else { return "\((mps2 * 1e6).rounded() / 1e6)" }
    return "\(max(1, Int(saturating: (mps2 / scale_mps2).rounded())))"
  }

  private func write(_ text: String, to path: String) throws(AccelerometerError) {
    do throws(OutsideFileError) {
      let file = try OutsideFile.open(path, O_WRONLY)
      defer { close(file) }
      let (count, code) = uninterrupted { Glibc.write(file, text, text.utf8.count) }
      if count < 0 { throw .callFailed("write", path: path, code: code) }
    } catch {
      guard case .callFailed(let call, let path, let code) = error else { throw .file(error) }
      throw .callFailed(call, path: path, code: code)
    }
  }
}
