import CGPIO
import Glibc

/// A real GPIO line, through libgpiod.
public final class GPIODPowerLine: PowerLine {
  // The chip outlives the line: libgpiod 1 keeps the line inside it.
  private let chip: GPIOChip
  private let name: String
  private var line: OpaquePointer?

  /// Takes the line as an output, with the power off from the first moment.
  /// - Parameters:
  ///   - chip: by label (`pinctrl-bcm2711`), name (`gpiochip0`) or path.
  ///   - line: by name (`GPIO17`) or offset (`17`).
  public init(chip: String, line: String, activeLow: Bool) throws(GPIOError) {
    let opened = try GPIOLines.open(chip: chip)
    let offset = try opened.offset(of: line)
    guard let requested = cgpio_request_output(opened.handle, UInt32(offset), "godwit", activeLow) else {
      throw opened.refusal(of: line, at: offset, call: "gpiod request as output")
    }
    self.chip = opened
    self.line = requested
    name = line
  }

  deinit { close() }

  public func set(_ on: Bool) throws(GPIOError) {
    guard let line else { throw .closed }
    guard cgpio_set(line, on ? 1 : 0) == 0 else {
      throw .lineFailed(line: name, chip: chip.label, call: "gpiod set value", code: errno)
    }
  }

  public func read() throws(GPIOError) -> Bool {
    guard let line else { throw .closed }
    let level = cgpio_get(line)
    guard level >= 0 else {
      throw .lineFailed(line: name, chip: chip.label, call: "gpiod get value", code: errno)
    }
    return level > 0
  }

  public func close() {
    if let line { cgpio_release(line) }
    line = nil
  }
}
