import Foundation

/// What a camera sees of a QR code on a terminal.
enum QRPicture {
  static let reader = "/usr/bin/zbarimg"
  private static let maker = "/usr/bin/qrencode"

  static var canBeRead: Bool {
    [reader, maker].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Pixels a module of the code.
  private static let scale = 6
  /// Upper and lower half of a character, light or dark.
  private static let halves: [Character: [UInt8]] = [
    "█": [255, 255], "▀": [255, 0], "▄": [0, 255], " ": [0, 0],
  ]

  /// As a PGM file. - Parameter terminal: output with a code in it, as `qrencode -t ANSIUTF8` draws it.
  static func write(terminal: String, to file: URL) throws {
    let lines = terminal.split(separator: "\n").filter { $0.hasPrefix("\u{1B}[40;37;1m") }
      .map { $0.dropFirst("\u{1B}[40;37;1m".count).prefix { $0 != "\u{1B}" } }
    var pixels: [UInt8] = []
    for line in lines {
      for half in 0...1 {
        let row = line.flatMap { [UInt8](repeating: halves[$0]?[half] ?? 0, count: scale) }
        for _ in 0..<scale { pixels += row }
      }
    }
    let width = (lines.first?.count ?? 0) * scale
    let head = "P5 \(width) \(width == 0 ? 0 : pixels.count / width) 255\n"
    try Data(Array(head.utf8) + pixels).write(to: file)
  }
}
