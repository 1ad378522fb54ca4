import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

/// Files as the kernel shows a device's; its events themselves are tried in Tests/Rig/accelerometer.
@Suite("An accelerometer under IIO")
struct IIOAccelerometerTests {
  private let folder: String

  init() throws {
    var name = Array("/tmp/godwit-iio-XXXXXX".utf8CString)
    folder = String(cString: try #require(mkdtemp(&name)))
  }

  private func write(_ text: String, to name: String) throws {
    var parent = folder
    for part in name.split(separator: "/").dropLast() {
      parent += "/\(part)"
      mkdir(parent, 0o755)
    }
    let file = try #require(fopen("\(folder)/\(name)", "w"))
    fputs(text, file)
    fclose(file)
  }

  private func text(_ name: String) -> String? {
    fileBytes("\(folder)/\(name)").map { String(decoding: $0, as: UTF8.self) }
  }

  private func device(_ number: Int = 0, name: String = "lis3dh_accel") throws {
    try write("\(name)\n", to: "iio:device\(number)/name")
    for (axis, raw) in [("x", "100"), ("y", "-200"), ("z", "16384")] {
      try write("\(raw)\n", to: "iio:device\(number)/in_accel_\(axis)_raw")
    }
    try write("0.000598\n", to: "iio:device\(number)/in_accel_scale")
  }

  private func open(_ name: String = "lis3dh_accel") throws(AccelerometerError) -> IIOAccelerometer {
    var settings = Settings().accelerometer
    settings.name = name
    return try IIOAccelerometer(settings, in: folder, nodes: folder)
  }

  private func problem(_ name: String = "lis3dh_accel") -> String? {
    do throws(AccelerometerError) {
      _ = try open(name).read()
      return nil
    } catch { return "\(error)" }
  }

  @Test("eight measurements in m/s², with a scale for all axes or one for each, and an offset")
  func reads() throws {
    try write("voltmeter\n", to: "iio:device0/name")
    try device(1)
    let samples = try open().read()
    #expect(samples.count == IIOAccelerometer.samples)
    #expect(abs(samples[0].x - 0.0598) < 1e-9 && abs(samples[0].z - 9.797632) < 1e-9)
    try write("0.001\n", to: "iio:device1/in_accel_z_scale")
    try write("1000\n", to: "iio:device1/in_accel_x_offset")
    let other = try open().read()
    #expect(abs(other[0].z - 16.384) < 1e-9 && abs(other[0].x - 1100 * 0.000598) < 1e-9)
  }

  @Test("it is found by its name alone, and what is missing is named with what there is")
  func names() throws {
    #expect(
      problem()
        == "there is no accelerometer \"lis3dh_accel\", nor any other IIO device (/sys/bus/iio/devices): is its driver loaded?"
    )
    try device(0, name: "adxl345")
    #expect(
      problem()
        == "there is no accelerometer \"lis3dh_accel\": this board has \"adxl345\". Set accelerometer.name to one of these"
    )
    try device(1)
    try device(2)
    #expect(
      problem() == "more than one IIO device is called \"lis3dh_accel\": iio:device1, iio:device2")
    try write("voltmeter\n", to: "iio:device3/name")
    #expect(
      problem("voltmeter")
        == "\"voltmeter\" is no accelerometer: it has no in_accel_x_raw, in_accel_y_raw and in_accel_z_raw")
  }

  @Test(
    "what is no number is none, and one that is pulled out says so", arguments: ["", "g", "nan", "1e300"])
  func garbage(raw: String) throws {
    try device()
    let board = try open()
    try write(raw, to: "iio:device0/in_accel_y_raw")
    #expect(throws: AccelerometerError.notANumber(path: "\(folder)/iio:device0/in_accel_y_raw")) {
      try board.read()
    }
    unlink("\(folder)/iio:device0/in_accel_x_raw")
    #expect(throws: AccelerometerError.self) { try board.read() }
    #expect(
      "\(AccelerometerError.notANumber(path: "/sys/a"))"
        == "/sys/a does not hold a number that an acceleration can be made of")
  }

  @Test("an event that cannot be had says which and why, and the axes are still read")
  func noNode() throws {
    try device()
    try write("0", to: "iio:device0/events/in_accel_x_roc_rising_en")
    try write("0", to: "iio:device0/events/in_accel_roc_rising_value")
    let board = try open()
    #expect(board.descriptor == nil)
    #expect(
      board.eventProblem.map { "\($0)" }
        == "\(folder)/iio:device0: IIO_GET_EVENT_FD_IOCTL: \(systemWords(ENOTTY))")
    #expect(try board.read().count == IIOAccelerometer.samples)
    try board.tell(above_mps2: 0.5)
    #expect(text("iio:device0/events/in_accel_x_roc_rising_en") == "0")
  }

  // MARK: Which event

  private func event(_ names: [String], scale_mps2: Double? = 0.001) throws -> IIOEvent? {
    for name in names { try write("0", to: "events/\(name)") }
    return IIOEvent(in: "\(folder)/events", scale_mps2: scale_mps2)
  }

  @Test(
    "the rate of change goes before magnitudes; thresholds with gravity in them, and other quantities, are none"
  )
  func kinds() throws {
    let gravity = [
      "in_accel_x_thresh_rising_en", "in_accel_thresh_rising_value", "in_voltage0_mag_rising_en",
      "in_voltage0_mag_rising_value",
    ]
    #expect(try event(gravity) == nil)
    #expect(try event(["in_accel_x&y&z_mag_rising_en"]) == nil, "without a value")
    let magnitude = try #require(try event(["in_accel_mag_rising_value"]))
    try magnitude.set(0.5)
    #expect(
      text("events/in_accel_x&y&z_mag_rising_en") == "1" && text("events/in_accel_mag_rising_value") == "500")
    try magnitude.set(nil)
    #expect(text("events/in_accel_x&y&z_mag_rising_en") == "0")
    let rate = try #require(
      try event(["in_accel_x_roc_rising_en", "in_accel_y_roc_rising_en", "in_accel_roc_rising_value"]))
    try rate.set(2.4996)
    #expect(text("events/in_accel_x_roc_rising_en") == "1" && text("events/in_accel_y_roc_rising_en") == "1")
    #expect(text("events/in_accel_roc_rising_value") == "2500")
    #expect(
      text("events/in_accel_x&y&z_mag_rising_en") == "0" && text("events/in_accel_x_thresh_rising_en") == "0")
  }

  @Test("a driver that wants m/s² gets them, and one with a coarse scale at least one")
  func units() throws {
    let names = ["in_accel_x_roc_rising_en", "in_accel_x_roc_rising_value"]
    try #require(try event(names, scale_mps2: nil)).set(0.75)
    #expect(text("events/in_accel_x_roc_rising_value") == "0.75")
    try #require(try event(names, scale_mps2: 4)).set(0.75)
    #expect(text("events/in_accel_x_roc_rising_value").map { $0.hasPrefix("1") } ?? false)
  }

  @Test("what the service may not write, the chip cannot take, or another program has, says what to do")
  func words() {
    func words(_ code: Int32) -> String {
      "\(AccelerometerError.callFailed("write", path: "/sys/a", code: code))"
    }
    #expect(
      words(EROFS)
        == "/sys/a: write: \(systemWords(EROFS)). The service may not write there: docs/lines.md, The accelerometer"
    )
    #expect(words(EINVAL) == "/sys/a: write: \(systemWords(EINVAL)). The chip cannot take that value")
    #expect(words(EBUSY) == "/sys/a: write: \(systemWords(EBUSY)). Another program has its events")
    #expect(
      "\(AccelerometerError.tooSlow(name: "a"))"
        == "\"a\" takes more than a quarter of a second for one measurement: set its sampling_frequency to 50 Hz or more"
    )
  }
}
