/// The 40 pins of a Raspberry Pi: a line's number is that of GPIO, and people count the pins.
enum HeaderPins {
  /// The GPIO of each pin that has one, but for the two of a HAT's memory.
  private static let lines = [
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9, 22: 25,
    23: 11,
    24: 8, 26: 7, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21,
  ]

  /// Whether that chip's lines are on them.
  static func areOf(chip: String) -> Bool {
    ["header", "pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"].contains(chip)
  }

  /// What a bare number may have been meant for, in words; nil where that is not another line.
  static func doubt(_ line: String) -> String? {
    guard let number = Int(line), let meant = lines[number] else { return nil }
    let pin = lines.first { $0.value == number }.map { ", which is pin \($0.key)" } ?? ""
    return "is GPIO\(number)\(pin): write \"GPIO\(number)\", or \"GPIO\(meant)\" if pin \(number) is meant"
  }
}
