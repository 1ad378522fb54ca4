import Glibc

/// The GPIO chips of this board.
public enum GPIOLines {
  /// Each chip as `label (name)`, for error texts and `godwit check`.
  public static func chips() -> [String] { scan().chips.map(describe) }

  /// Whether a line is there, without taking it. - Throws: what opening it would, but for who holds it now.
  public static func find(chip: String, line: String) throws(GPIOError) {
    if simulatedFolder(chip) == nil { _ = try open(chip: chip).offset(of: line) }
  }

  /// Stands for whichever chip has the 40 pins of the Raspberry Pi that this is.
  static let header = "header"
  /// The labels of those chips: of the Pi 5; of the Pi 4 and its kin; of the Pi 3, the Zero 2 and all before. No board has two.
  static let headerLabels = ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"]

  /// The labels that a setting may mean.
  static func labels(for wanted: String) -> [String] { wanted == header ? [wanted] + headerLabels : [wanted] }

  /// The chip with this label, name or path.
  ///
  /// Labels come first: the kernel numbers chips in the order in which it finds them, which changes with
  /// kernels and plugged-in devices.
  static func open(chip wanted: String) throws(GPIOError) -> GPIOChip {
    if wanted.hasPrefix("/") { return try GPIOChip(path: wanted) }
    let (chips, failures) = scan()
    let labels = labels(for: wanted)
    let labelled = chips.filter { labels.contains($0.label) }
    if labelled.count > 1 { throw .ambiguousChip(wanted, paths: labelled.map(\.path)) }
    if let chip = labelled.first { return chip }
    if wanted.hasPrefix("gpiochip"), !wanted.contains("/") {
      let path = "/dev/" + wanted
      if access(path, F_OK) == 0 { return try GPIOChip(path: path) }
    }
    // A chip that could not be looked at may be the one.
    if let failure = failures.first { throw failure }
    throw .noSuchChip(wanted, available: chips.map(describe))
  }

  private static func describe(_ chip: GPIOChip) -> String { "\(chip.label) (\(chip.name))" }

  private static func scan() -> (chips: [GPIOChip], failures: [GPIOError]) {
    var chips: [GPIOChip] = []
    var failures: [GPIOError] = []
    for path in paths() {
      do throws(GPIOError) {
        chips.append(try GPIOChip(path: path))
      } catch {
        failures.append(error)
      }
    }
    return (chips, failures)
  }

  /// Links are left out: Raspberry Pi OS has one for programs that expect an older numbering, and its chip would
  /// be found twice.
  private static func paths() -> [String] {
    FolderEntry.all(in: "/dev").filter { $0.name.hasPrefix("gpiochip") && !$0.isLink }
      .map { "/dev/" + $0.name }.sorted()
  }
}
