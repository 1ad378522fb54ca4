/// An output that powers the GPS module, or presses its key. Opening one makes it inactive.
public protocol PowerLine: AnyObject {
  func set(_ on: Bool) throws(GPIOError)
  /// The level as the line has it, which `set` may have failed to change.
  func read() throws(GPIOError) -> Bool
  /// Gives the line up as it is. Most Raspberry Pi kernels keep its level; do not rely on either.
  func close()
}
