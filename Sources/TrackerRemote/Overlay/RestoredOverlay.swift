import TrackerBase

/// What a start finds of the settings that the server has set.
public struct RestoredOverlay: Equatable, Sendable {
  /// After `runBegan`, and saved so.
  public var state = OverlayState()
  /// This start has ended a trial.
  public var isRolledBack = false
  /// Of the settings that the process starts with.
  public var use = OverlayUse()
  /// Why it could not be read or saved.
  public var problem: String?

  public init() {}
}
