/// What the settings of GPIO lines, of the supply and of the board's sleep must have together.
extension SettingsChecks {
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
    let keys = ["line", "status_line", "command"].map { "gps.power.\($0)" }
    guard place(of: "gps.power.mode") == nil, !hasProblem("gps.power.mode"),
      let key = keys.first(where: { place(of: $0) != nil })
    else { return }
    refuse(
      "gps.power.mode", or: key,
      "must be set, since \(key) is: \"level\" for a line that is on while the GPS is, \"pulse\" for a button, \"command\" for a program, \"none\" for a GPS that is always on"
    )
  }

  private mutating func demand(_ wanted: [(key: String, value: String)]) {
    for (key, value) in wanted {
      refuse(
        "gps.power.\(key)", if: value.isEmpty && !hasProblem("gps.power.\(key)"), or: "gps.power.mode",
        "must be set, since gps.power.mode is \"\(settings.gps.power.mode.rawValue)\"")
    }
  }

  /// Whether two are one line goes by their text alone: two names of one line are found when the second is taken.
  mutating func checkLines() {
    let power = settings.gps.power
    var lines: [(key: String, chip: String, line: String)] = []
    if power.mode.needsLine { lines.append(("gps.power.line", power.chip, power.line)) }
    if power.mode == .pulse { lines.append(("gps.power.status_line", power.chip, power.statusLine)) }
    for (line, input) in settings.inputLines {
      let group = line.rawValue
      refuse(
        "\(group).chip", if: input.exists && input.chip.isEmpty && !hasProblem("\(group).chip"),
        or: "\(group).line", "must be set, since \(group).line is")
      lines.append(("\(group).line", input.chip, input.line))
    }
    for (index, new) in lines.enumerated() where !new.line.isEmpty {
      guard let other = lines[..<index].first(where: { $0.chip == new.chip && $0.line == new.line }) else {
        continue
      }
      refuse(new.key, "is \(other.key) already")
    }
    let isUnwired = settings.motion.mode == .wireOnly && !settings.ignition.input.exists
    refuse(
      "motion.mode", if: isUnwired && !hasProblem("motion.mode"),
      "\"wire_only\" needs an ignition line, or the GPS would never be on: set ignition.chip and ignition.line (docs/lines.md)"
    )
  }

  // MARK: Voltages of [battery]

  mutating func checkSupply() {
    let battery = settings.battery
    let (low, hysteresis) = (
      written("battery.low_v", battery.low_v), written("battery.hysteresis_v", battery.hysteresis_v)
    )
    let (charging, lost) = (battery.chargingAbove_v, battery.lostBelow_v)
    let isUsable = !hasProblem("battery.low_v") && !hasProblem("battery.hysteresis_v")
    refuse(
      "battery.charging_above_v",
      if: isUsable && charging > 0 && charging - battery.hysteresis_v < battery.low_v - 1e-9,
      "and \(hysteresis) below it must not be less than \(low): a charge would not be over before the battery is low"
    )
    guard isUsable, lost > 0 else { return }
    refuse(
      "battery.lost_below_v", if: lost >= battery.low_v,
      "must be below \(low): a battery that is merely low would count as a cable that is cut")
    refuse(
      "battery.lost_below_v",
      if: lost < battery.low_v && lost + battery.hysteresis_v > battery.low_v + 1e-9,
      "and \(hysteresis) above it must not be more than \(low): the supply would count as lost until the battery is no longer low"
    )
  }

  // MARK: [host.sleep]

  mutating func checkSleep() {
    let sleep = settings.host.sleep
    let isCommand = sleep.mode == .command
    checkProgram("host.sleep.command", sleep.command)
    refuse(
      "host.sleep.command", if: isCommand && sleep.command.isEmpty, or: "host.sleep.mode",
      "must name the program that sets the alarm, since host.sleep.mode is \"command\"")
    refuse(
      "host.sleep.state", if: isCommand && sleep.state == .mem,
      "must be \"poweroff\" with host.sleep.mode \"command\": a HAT cuts the supply")
    refuse(
      "host.sleep.command", if: !isCommand && !sleep.command.isEmpty,
      "is for host.sleep.mode \"command\": set that, or remove it")
    let isName =
      !sleep.rtc.isEmpty && !sleep.rtc.hasPrefix(".")
      && sleep.rtc.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") }
    refuse("host.sleep.rtc", if: !isName, "must be a name as `ls /sys/class/rtc` shows it, such as rtc0")
    if sleep.wakeEvery_s > 0 {
      checkOrder(
        of: "host.sleep.min_s", \.host.sleep.min_s, upTo: "host.sleep.wake_every_s", \.host.sleep.wakeEvery_s)
    }
  }
}
