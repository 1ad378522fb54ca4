import CGPIO
import Glibc
import TrackerBase

/// A real GPIO line as an input, through libgpiod.
public final class GPIODInput: LevelInput {
  public let descriptor: Int32
  // The chip outlives the line: libgpiod 1 keeps the line inside it.
  private let chip: GPIOChip
  private let name: String
  private let input: OpaquePointer
  private var level: Bool?

  public init(_ settings: InputLineSettings) throws(GPIOError) {
    chip = try GPIOLines.open(chip: settings.chip)
    name = settings.line
    let offset = try chip.offset(of: name)
    let input = cgpio_request_input(
      chip.handle, UInt32(offset), "godwit", settings.activeLow, GPIODInput.bias(settings.bias))
    guard let input else { throw chip.refusal(of: name, at: offset, call: "gpiod request of both edges") }
    self.input = input
    descriptor = cgpio_input_fd(input)
  }

  deinit { cgpio_input_release(input) }

  public func receive() throws(GPIOError) -> [Bool] {
    var edges = [Bool](repeating: false, count: CGPIO_EDGES)
    let count = cgpio_input_read(input, &edges)
    guard count >= 0 else { throw failure("gpiod read of edges") }
    let now = cgpio_input_get(input)
    guard now >= 0 else { throw failure("gpiod get value") }
    var levels = Array(edges.prefix(Int(count)))
    // The kernel keeps 16 edges and drops the others: only the level itself shows where the line is now.
    if levels.last ?? level != (now > 0) { levels.append(now > 0) }
    level = now > 0
    return levels
  }

  private func failure(_ call: String) -> GPIOError {
    .lineFailed(line: name, chip: chip.label, call: call, code: errno)
  }

  private static func bias(_ bias: InputLineSettings.Bias) -> cgpio_bias {
    switch bias {
    case .asIs: CGPIO_BIAS_AS_IS
    case .pullUp: CGPIO_BIAS_PULL_UP
    case .pullDown: CGPIO_BIAS_PULL_DOWN
    case .none: CGPIO_BIAS_NONE
    }
  }
}
