import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

@Suite("The battery's voltage in a file")
struct VoltageFileTests {
  private func read(_ text: String?, pattern: String = "/hw*/in1_input", unit: Double = 0.001) throws
    -> Double
  {
    var name = Array("/tmp/godwit-voltage-XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&name)))
    mkdir(folder + "/hwmon7", 0o755)
    let path = folder + "/hwmon7/in1_input"
    defer {
      unlink(path)
      rmdir(folder + "/hwmon7")
      rmdir(folder)
    }
    if let text {
      let file = try #require(fopen(path, "w"))
      fputs(text, file)
      fclose(file)
    }
    var settings = Settings().battery
    (settings.voltageFile, settings.voltsPerUnit) = (folder + pattern, unit)
    return try VoltageFile(settings).read()
  }

  @Test("a number times its unit, whatever the number of the device")
  func reads() throws {
    #expect(try read("12345\n") == 12.345)
    #expect(abs(try read("24100000\n", unit: 0.000_001) - 24.1) < 1e-9)
  }

  @Test("what is no voltage is told without its text", arguments: ["", "volts", "nan", "-3", "1e9"])
  func refuses(text: String) {
    #expect(throws: VoltageError.notANumber) { try read(text) }
    #expect("\(VoltageError.notANumber)" == "the file does not hold a number that a voltage can be")
  }

  @Test("a missing file says what to look at")
  func missing() {
    #expect(throws: VoltageError.missing) { try read(nil) }
    #expect("\(VoltageError.missing)" == "there is no such file: is the driver of the converter loaded?")
  }
}
