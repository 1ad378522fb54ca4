import TrackerBase

/// A line that is listened to.
public protocol LevelInput: AnyObject {
  /// Readable when the level may have changed.
  var descriptor: Int32 { get }
  /// The level after each edge since the last call, oldest first; the first call begins with the level that it
  /// finds. Never blocks, and takes a bounded number of edges at once.
  ///
  /// The same level twice is a pulse that was over when the kernel looked. A line that changes faster than it is
  /// asked loses edges, but not its last level.
  func receive() throws(GPIOError) -> [Bool]
}

public enum LevelInputs {
  public static func open(_ settings: InputLineSettings) throws(GPIOError) -> any LevelInput {
    if let directory = simulatedFolder(settings.chip) {
      return try SimulatedInput(directory: directory, line: settings.line, activeLow: settings.activeLow)
    }
    return try GPIODInput(settings)
  }
}

/// The folder of `simulated:FOLDER`; nil for a real chip.
func simulatedFolder(_ chip: String) -> String? {
  let simulated = "simulated:"
  return chip.hasPrefix(simulated) ? String(chip.dropFirst(simulated.count)) : nil
}
