import CHost
import Glibc
import TrackerBase

/// An accelerometer under the kernel's IIO: its axes are files, its events a descriptor.
public final class IIOAccelerometer {
  private let name: String
  private let folder: String
  private let scales_mps2: [Double]
  private let offsets: [Double]
  private let event: IIOEvent?
  /// Readable when the threshold is exceeded; nil: it has no event of a kind that is of use.
  public private(set) var descriptor: Int32?
  /// Why it has none, although the driver has.
  public private(set) var eventProblem: AccelerometerError?

  public static let devices = "/sys/bus/iio/devices"
  /// Per look, as long as the loop can wait.
  static let samples = 8
  static let budget_ms: Int64 = 60
  /// The first measurement: some drivers switch the chip on for each and wait for what its rate takes.
  static let most_ms: Int64 = 250

  /// - Parameters:
  ///   - folder: where the kernel lists its IIO devices.
  ///   - nodes: where their device files are.
  public init(
    _ settings: AccelerometerSettings, in folder: String = devices, nodes: String = "/dev"
  ) throws(AccelerometerError) {
    name = settings.name
    let device = try IIOAccelerometer.find(settings.name, in: folder)
    let path = "\(folder)/\(device)"
    self.folder = path
    guard IIOAccelerometer.axes.allSatisfy({ access("\(path)/in_accel_\($0)_raw", F_OK) == 0 }) else {
      throw .noAxes(name: settings.name)
    }
    var (scales, offsets): ([Double], [Double]) = ([], [])
    for axis in IIOAccelerometer.axes {
      scales.append(try IIOAccelerometer.attribute("scale", of: axis, in: path) ?? 1)
      offsets.append(try IIOAccelerometer.attribute("offset", of: axis, in: path) ?? 0)
    }
    (scales_mps2, self.offsets) = (scales, offsets)
    event = IIOEvent(in: "\(path)/events", scale_mps2: settings.eventInMps2 ? nil : scales[0])
    guard event != nil else { return }
    let node = "\(nodes)/\(device)"
    let descriptor = chost_iio_event_descriptor(node)
    if descriptor >= 0 {
      self.descriptor = descriptor
    } else {
      eventProblem = .callFailed("IIO_GET_EVENT_FD_IOCTL", path: node, code: errno)
    }
  }

  deinit { closeEvents() }

  private func closeEvents() {
    if let descriptor { close(descriptor) }
    descriptor = nil
  }

  static let axes = ["x", "y", "z"]

  /// By its name alone: what else may be an accelerometer is nobody's to guess.
  private static func find(_ name: String, in folder: String) throws(AccelerometerError) -> String {
    let devices = FolderEntry.all(in: folder).map(\.name).filter { $0.hasPrefix("iio:device") }.sorted()
    let names = devices.map { (try? text(of: "\(folder)/\($0)/name")) ?? "" }
    let found = zip(devices, names).filter { $0.1 == name }.map(\.0)
    if found.count > 1 { throw .ambiguous(name: name, devices: found) }
    guard let device = found.first else {
      throw .missing(name: name, available: names.filter { !$0.isEmpty }.map { "\"\($0)\"" })
    }
    return device
  }

  private static func text(of path: String) throws(OutsideFileError) -> String {
    // An attribute in /sys is a page at most.
    let bytes = try OutsideFile.read(path, limit_bytes: 4096)
    return String(decoding: bytes.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
  }

  private static func number(_ path: String) throws(AccelerometerError) -> Double {
    let text: String
    do throws(OutsideFileError) { text = try self.text(of: path) } catch { throw .file(error) }
    guard let number = Double(text), abs(number) < 1e9 else { throw .notANumber(path: path) }
    return number
  }

  /// Of that axis, or of all of them; nil: it has none.
  private static func attribute(
    _ kind: String, of axis: String, in folder: String
  ) throws(AccelerometerError) -> Double? {
    for path in ["\(folder)/in_accel_\(axis)_\(kind)", "\(folder)/in_accel_\(kind)"]
    where access(path, F_OK) == 0 {
      return try number(path)
    }
    return nil
  }

  // MARK: Looks

  /// A few measurements, one after the other.
  public func read() throws(AccelerometerError) -> [Acceleration] {
    let begin_ms = HostClock.now().boot_ms
    var (samples, took_ms): ([Acceleration], Int64) = ([], 0)
    while samples.count < IIOAccelerometer.samples, took_ms < IIOAccelerometer.budget_ms {
      var axes: [Double] = []
      for (index, axis) in IIOAccelerometer.axes.enumerated() {
        let raw = try IIOAccelerometer.number("\(folder)/in_accel_\(axis)_raw")
        axes.append((raw + offsets[index]) * scales_mps2[index])
        took_ms = HostClock.now().boot_ms - begin_ms
        if samples.isEmpty, took_ms > IIOAccelerometer.most_ms { throw .tooSlow(name: name) }
      }
      samples.append(Acceleration(axes[0], axes[1], axes[2]))
    }
    return samples
  }

  // MARK: Its own event

  /// - Parameter above_mps2: nil: nothing is told.
  public func tell(above_mps2: Double?) throws(AccelerometerError) {
    guard let event, descriptor != nil else { return }
    do throws(AccelerometerError) { try event.set(above_mps2) } catch {
      closeEvents()
      throw error
    }
  }

  /// Takes what has been told. - Returns: whether there was anything.
  public func receive() throws(AccelerometerError) -> Bool {
    guard let descriptor else { return false }
    let count = chost_iio_event_take(descriptor)
    guard count >= 0 else {
      let code = errno
      closeEvents()
      throw .callFailed("read of events", path: folder, code: code)
    }
    return count > 0
  }
}
