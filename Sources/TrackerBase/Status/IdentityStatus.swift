/// Who reports: what the process knows beside the tracker.
public struct IdentityStatus: StatusGroup {
  @Figure("device", "Name under which the device sends.")
  public var device = ""
  @Figure(
    "device_source",
    "What that name is from: the setting, the machine id, or, for want of one, what there was (docs/queue.md#the-devices-name)."
  )
  public var deviceSource = DeviceIdentity.Source.deviceID
  @Figure("version", "Version of the agent.")
  public var version = ""
  @Figure("settings", "Hash of the settings in force: another one when any of them differs.")
  public var settingsHash = ""
  @Figure("boot_id", "Of the board's running time: another one after each boot.")
  public var bootID = ""

  public init() {}

  public init(
    device: String, version: String, settingsHash: String, bootID: String,
    source: DeviceIdentity.Source = .deviceID
  ) {
    (self.device, self.version, self.settingsHash, self.bootID) = (device, version, settingsHash, bootID)
    deviceSource = source
  }
}
