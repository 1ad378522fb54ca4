import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Is everything well with this box? For whoever has just fitted it.",
    discussion: """
      Looks at settings, clock, gpsd, the GPS module's power, antenna and first fix, lines, modem, server, queue and \
      card, in this order, and says of each what is wrong and what to do. Three minutes at most for the GPS, or \
      --gps-patience.

      Works beside a running agent, which then does the switching and sending, and without one. A record that waits is \
      sent to the server, where it counts once; where none waits, one that says "test" and has no place.

      godwit doctor --wait-ignition --qr

      Exit codes: 0 nothing has failed, 1 something has, 64 a mistake on the command line.
      """)

  @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard
  @Flag(help: "As JSON, one object (docs/commands.md).") var json = false
  @Flag(help: "Wait for the ignition to be switched, and see the line change.") var waitIgnition = false
  @Flag(help: "Wait for the vehicle to be knocked at, and see the vibration line.") var waitVibration = false
  @Option(help: "How long to wait for a fix, such as 3m; 0s: the GPS is left alone.") var gpsPatience = "3m"
  @Option(help: "How long to wait for ignition and vibration, such as 60s.") var linePatience = "60s"
  @Flag(help: "Show the result as a QR code to photograph; needs the program qrencode.") var qr = false

  func run() throws {
    let report = Doctor(
      config: config, waits: (waitIgnition, waitVibration),
      gpsPatience_s: try Self.length(gpsPatience, "--gps-patience", mayBeNone: true),
      linePatience_s: try Self.length(linePatience, "--line-patience"), isQuiet: json
    ).examine()
    if json { Terminal.print(report.json + "\n") }
    if qr { QRCode.show(report.code) }
    if !report.isFine { throw ExitCode(ExitReason.failed.rawValue) }
  }

  private static func length(_ text: String, _ option: String, mayBeNone: Bool = false) throws -> Int64 {
    if mayBeNone, text == "0s" || text == "0" { return 0 }
    guard let length_s = lengthInSeconds(text), length_s <= 3600 else {
      throw ExitReason.usage.exit("\(option) \"\(text)\" is not a length such as 90s or 3m, of at most 1h")
    }
    return length_s
  }
}

/// Drawn by Debian's own program: an encoder of our own would be a thousand lines for what others do well.
enum QRCode {
  static let program = "qrencode"

  static func show(_ text: String) {
    let words = [program, "-t", "ANSIUTF8", "-m", "2", text]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, program, nil, nil, &arguments, environ)
    guard code == 0 else {
      let words =
        code == ENOENT ? "it is not installed: apt-get install qrencode" : String(cString: strerror(code))
      return Terminal.error("godwit: no QR code from \(program): \(words)\n")
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    if status != 0 { Terminal.error("godwit: no QR code: \(program) failed\n") }
  }
}
