/// What the settings of GPIO lines must have together.
extension SettingsReader {
  mutating func checkPower() {
    let power = settings.gps.power
    switch power.mode {
    case .none: demandMode()
    case .level: demand([("chip", power.chip), ("line", power.line)])
    case .pulse: demand([("chip", power.chip), ("line", power.line), ("status_line", power.statusLine)])
    case .command:
      demand([("command", power.command.first ?? "")])
      checkProgram("gps.power.command", power.command)
    }
  }

  /// A wire is named, and what to do with it is not.
  private mutating func demandMode() {
    guard place(of: "gps.power.mode") == nil, !hasProblem("gps.power.mode") else { return }
    let written = ["line", "status_line", "command"].compactMap { key in
      place(of: "gps.power.\(key)").map { (key, $0) }
    }
    guard let (key, place) = written.first else { return }
    refuse(
      "gps.power.mode", or: place,
      "must be set, since gps.power.\(key) is: \"level\" for a line that is on while the GPS is, \"pulse\" for a button, \"command\" for a program, \"none\" for a GPS that is always on"
    )
  }

  private mutating func demand(_ wanted: [(key: String, value: String)]) {
    for (key, value) in wanted where value.isEmpty {
      guard !hasProblem("gps.power.\(key)") else { continue }
      refuse(
        "gps.power.\(key)", or: place(of: "gps.power.mode"),
        "must be set, since gps.power.mode is \"\(settings.gps.power.mode.rawValue)\"")
    }
  }

  mutating func checkMode() {
    guard settings.motion.mode == .wireOnly, !settings.ignition.input.exists, !hasProblem("motion.mode")
    else {
      return
    }
    refuse(
      "motion.mode",
      "\"wire_only\" needs an ignition line, or the GPS would never be on: set ignition.chip and ignition.line (docs/lines.md)"
    )
  }

  mutating func checkInputLine(_ group: String, _ input: InputLineSettings) {
    guard input.exists, input.chip.isEmpty, !hasProblem("\(group).chip") else { return }
    refuse(
      "\(group).chip", or: place(of: "\(group).line"),
      "must be set, since \(group).line is")
  }

  /// By their text alone: two names of one line are found when the second is taken.
  mutating func checkLinesDiffer() {
    let power = settings.gps.power
    var lines: [(key: String, chip: String, line: String)] = []
    if power.mode.needsLine { lines.append(("gps.power.line", power.chip, power.line)) }
    if power.mode == .pulse { lines.append(("gps.power.status_line", power.chip, power.statusLine)) }
    for (line, input) in settings.inputLines {
      lines.append(("\(line.rawValue).line", input.chip, input.line))
    }
    for (index, new) in lines.enumerated() where !new.line.isEmpty {
      guard let other = lines[..<index].first(where: { $0.chip == new.chip && $0.line == new.line }) else {
        continue
      }
      refuse(new.key, "is \(other.key) already")
    }
  }
}
