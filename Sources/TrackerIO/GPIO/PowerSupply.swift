import TrackerBase

/// What switches the GPS module on and off. Opening one begins to switch it off. Never blocks.
public protocol PowerSupply: AnyObject {
  var descriptors: [PollDescriptor] { get }
  /// What was begun is not yet done.
  var isBusy: Bool { get }
  /// Begins to switch, or does so once what was begun before is done. The last word counts.
  func set(_ on: Bool) throws(PowerError)
  /// Goes on with what was begun. - Throws: what has come of it, if it did not work.
  func receive(ready: [Int32]) throws(PowerError)
}

public enum PowerSupplies {
  /// What the settings name; nil if the module is always powered.
  public static func open(_ settings: GPSPowerSettings) throws(PowerError) -> (any PowerSupply)? {
    switch settings.mode {
    case .none: return nil
    case .level: return LevelSupply(try line(settings))
    case .pulse: return try PulseSupply(key: try line(settings), settings: settings)
    case .command: return try CommandSupply(settings.command)
    }
  }

  private static func line(_ settings: GPSPowerSettings) throws(PowerError) -> any PowerLine {
    do throws(GPIOError) {
      if let directory = simulatedFolder(settings.chip) {
        return try SimulatedPowerLine(
          directory: directory, line: settings.line, activeLow: settings.activeLow)
      }
      return try GPIODPowerLine(chip: settings.chip, line: settings.line, activeLow: settings.activeLow)
    } catch { throw .line(error) }
  }
}

/// Why the GPS module could not be switched.
public enum PowerError: Error, Equatable, CustomStringConvertible {
  case line(GPIOError)
  case statusLine(GPIOError)
  case readsBack(on: Bool)
  /// The status line did not follow a pulse.
  case noAnswer(on: Bool, timeout_s: Double)
  /// The status line changed without a pulse.
  case strayed(on: Bool)
  case host(HostError)
  /// In words: the program and how it ended.
  case command(String)

  /// A line itself is lost, and has to be taken anew.
  public var isLineLost: Bool {
    switch self {
    case .line, .statusLine: true
    case .readsBack, .noAnswer, .strayed, .host, .command: false
    }
  }

  public var description: String {
    switch self {
    case .line(let error): "\(error)"
    case .statusLine(let error): error.words(settings: "gps.power", key: "status_line")
    case .readsBack(let on):
      "switched \(on ? "off" : "on"), but the line reads back the opposite; is it shorted or shared?"
    case .noAnswer(let on, let timeout_s):
      """
      a pulse was to switch it \(on ? "on" : "off"), but the status line says otherwise after \
      \(SettingText.number(timeout_s)) s; is gps.power.pulse_ms right for this module, and its status line wired?
      """
    case .strayed(let on):
      """
      the status line says that the module went \(on ? "on" : "off") by itself; did it answer a pulse later than \
      gps.power.status_timeout_s, or is its supply bad?
      """
    case .host(let error): "\(error)"
    case .command(let words): "gps.power.command: \(words)"
    }
  }
}

/// The level of the line is the power.
final class LevelSupply: PowerSupply {
  let line: any PowerLine

  init(_ line: any PowerLine) { self.line = line }

  var descriptors: [PollDescriptor] { [] }
  var isBusy: Bool { false }

  func set(_ on: Bool) throws(PowerError) {
    var level = false
    do throws(GPIOError) {
      try line.set(on)
      level = try line.read()
    } catch { throw .line(error) }
    if level != on { throw .readsBack(on: level) }
  }

  func receive(ready: [Int32]) throws(PowerError) {}
}
