/// Who reports: what the process knows beside the tracker.
public struct IdentityStatus: StatusGroup {
  @Figure("device", "Name under which the device sends.")
  public var device = ""
  @Figure("version", "Version of the agent.")
  public var version = ""
  @Figure("settings", "Hash of the settings in force: another one when any of them differs.")
  public var settingsHash = ""
  @Figure("boot_id", "Of the board's running time: another one after each boot.")
  public var bootID = ""

  public init() {}

  public init(device: String, version: String, settingsHash: String, bootID: String) {
    (self.device, self.version, self.settingsHash, self.bootID) = (device, version, settingsHash, bootID)
  }

  public func visit(with visitor: inout some StatusVisitor) {
    visitor.visit(_device)
    visitor.visit(_version)
    visitor.visit(_settingsHash)
    visitor.visit(_bootID)
  }
}
