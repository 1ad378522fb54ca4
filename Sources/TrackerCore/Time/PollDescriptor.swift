/// One descriptor that the loop waits for.
public struct PollDescriptor: Equatable, Sendable {
  public var descriptor: Int32
  public var wantsRead: Bool
  public var wantsWrite: Bool

  public init(descriptor: Int32, wantsRead: Bool = true, wantsWrite: Bool = false) {
    self.descriptor = descriptor
    self.wantsRead = wantsRead
    self.wantsWrite = wantsWrite
  }
}
