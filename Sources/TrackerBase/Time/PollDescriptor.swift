/// A file descriptor that an adapter wants watched by the agent's one poll(2).
public struct PollDescriptor: Equatable, Sendable {
  public var descriptor: Int32
  public var wantsRead: Bool
  public var wantsWrite: Bool
  /// Something exceptional: how an attribute of sysfs reports that it has changed.
  public var wantsPriority: Bool

  public init(
    descriptor: Int32, wantsRead: Bool = true, wantsWrite: Bool = false, wantsPriority: Bool = false
  ) {
    self.descriptor = descriptor
    self.wantsRead = wantsRead
    self.wantsWrite = wantsWrite
    self.wantsPriority = wantsPriority
  }
}
