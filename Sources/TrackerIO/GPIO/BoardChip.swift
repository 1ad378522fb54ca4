/// The chip that has the pins of a board's header, for those who move settings from one board to another.
enum BoardChip {
  /// By the name of its driver in the kernel.
  private static let boards = [
    "pinctrl-bcm2835": "a Raspberry Pi 1, 2, 3 or Zero", "pinctrl-bcm2711": "a Raspberry Pi 4, 400 or CM4",
    "pinctrl-rp1": "a Raspberry Pi 5, 500 or CM5",
  ]

  /// `, which is of a Raspberry Pi 4, 400 or CM4`; empty for a chip that is no such board's.
  static func owner(of label: String) -> String { boards[label].map { ", which is of \($0)" } ?? "" }

  /// - Parameter available: each chip as `label (name)`.
  static func remedy(among available: [String], group: String) -> String {
    let labels = available.map { String($0.prefix { $0 != " " }) }.filter { boards[$0] != nil }
    guard labels.count == 1 else { return "Set \(group).chip to one of these labels." }
    return "Set \(group).chip = \"\(labels[0])\", which has the pins of the header."
  }
}
