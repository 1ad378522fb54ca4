import Glibc
import Testing
import TrackerBase

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

  @Test("what is no voltage is reported without its text", arguments: ["", "volts", "nan", "-3", "1e9"])
  func refuses(text: String) {
    #expect(throws: VoltageError.notANumber) { try read(text) }
    #expect("\(VoltageError.notANumber)" == "the file does not hold a number that a voltage can be")
  }

  @Test("a missing file says what to look at")
  func missing() {
    #expect(throws: VoltageError.missing) { try read(nil) }
    #expect("\(VoltageError.missing)" == "there is no such file: is the driver of the converter loaded?")
  }

  @Test("names are looked through up to a bound, and then it says what to write")
  func tooMany() throws {
    let folder = QueueFolder()
    for number in 0..<5000 { try #require(mkdir("\(folder.path)/hwmon\(number)", 0o755) == 0) }
    defer { for number in 0..<5000 { rmdir("\(folder.path)/hwmon\(number)") } }
    var settings = Settings().battery
    settings.voltageFile = folder.path + "/hwmon*/in1_input"
    var words = ""
    do throws(VoltageError) { _ = try VoltageFile(settings).read() } catch { words = "\(error)" }
    let advice = "write out the folders before the first * or between two"
    #expect(words == "its pattern leads through more than 4096 names: " + advice)
  }

  @Test("the pattern's first match by name counts: of several devices, and behind folders that have none")
  func firstMatch() throws {
    let folder = QueueFolder()
    for device in ["a", "b", "c", ".0"] {
      try #require(mkdir("\(folder.path)/\(device)", 0o755) == 0)
      guard device != "a" else { continue }
      try DurableFile.write("\(folder.path)/\(device)/in1_input", device == "b" ? "12000\n" : "24000\n")
    }
    defer {
      for device in ["a", "b", "c", ".0"] {
        unlink("\(folder.path)/\(device)/in1_input")
        rmdir("\(folder.path)/\(device)")
      }
    }
    for pattern in ["/*/in1_input", "/*/in*", "/[ab]/in?_input", "//b/in1_input", "/b/in1_input"] {
      var settings = Settings().battery
      settings.voltageFile = folder.path + pattern
      #expect(try VoltageFile(settings).read() == 12, "\(pattern)")
    }
  }
}
