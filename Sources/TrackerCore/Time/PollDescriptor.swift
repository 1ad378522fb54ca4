/// A descriptor that the loop waits for, and what for.
public struct PollDescriptor: Equatable, Sendable {
  public struct Events: OptionSet, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let read = Events(rawValue: 1)
    public static let write = Events(rawValue: 2)
  }

  public var descriptor: Int32
  public var events: Events

  public init(descriptor: Int32, events: Events = .read) {
    self.descriptor = descriptor
    self.events = events
  }
}
