/// A file descriptor that an adapter wants watched by the agent's one poll(2).
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
