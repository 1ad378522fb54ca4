import TrackerBase
import TrackerIO
import TrackerWire

/// The device's name where no setting gives it, in the state file: what a machine can be known by may change, and
/// servers know the device by its name.
struct DeviceNameFile {
  private let file: StateFile
  private let queuePath: String
  private let root: String

  /// - Parameter root: before the paths of what the machine tells.
  init(queuePath: String, root: String = "") {
    (file, self.queuePath, self.root) = (StateFile(queuePath: queuePath), queuePath, root)
  }

  struct Found {
    var identity: DeviceIdentity
    /// For operators; nil where all is as it should be.
    var note: String?
    /// It is the one of the file.
    var isKept: Bool
  }

  /// - Parameters:
  ///   - old: in force; where storage does not keep a name, it stays all the same while the process runs.
  ///   - keeps: the name is kept from now on.
  func identity(of settings: Settings, insteadOf old: DeviceIdentity? = nil, keeps: Bool = true) -> Found {
    let (kept, problem) = read()
    let host = HostIdentity.read(queuePath: queuePath, root: root)
    let machine = DeviceIdentity.Machine(
      machineID: host.machineID, board: host.board, card: host.card,
      hardwareAddress: HostIdentity.hardwareAddress(root: root))
    let identity = DeviceIdentity(
      setting: settings.deviceID, machine: machine,
      kept: kept ?? old.flatMap { $0.source == .deviceID ? nil : $0 },
      chance: .random(in: .min ... .max))
    var notes = [identity.note(hasMachineID: machine.machineID != nil)]
    if identity.source != .deviceID { notes.append(problem) }
    if keeps, identity != kept { notes.append(keep(identity)) }
    let words = notes.compactMap { $0 }
    return Found(
      identity: identity, note: words.isEmpty ? nil : words.joined(separator: "; "),
      isKept: identity == kept)
  }

  private func read() -> (kept: DeviceIdentity?, problem: String?) {
    do throws(StateFile.Problem) {
      guard let value = try file.read(.device) else { return (nil, nil) }
      guard let kept = DeviceIdentity(saved: value) else { throw file.damaged }
      return (kept, nil)
    } catch { return (nil, "the name that was kept cannot be read: \(error)") }
  }

  /// A name that a server has given; on storage once this has returned.
  func keep(enrolled name: String) throws(HostError) {
    try write(DeviceIdentity(enrolled: name))
  }

  /// - Returns: why it could not be kept, in words. That of a machine id comes again, and need not be.
  private func keep(_ identity: DeviceIdentity) -> String? {
    if identity.source == .deviceID { return nil }
    do throws(HostError) {
      try write(identity)
      return nil
    } catch {
      return identity.source.isMade
        ? "the name could not be kept, and may be another after a restart: \(error)" : nil
    }
  }

  private func write(_ identity: DeviceIdentity) throws(HostError) {
    try? QueueStore.makeFolder(of: queuePath)
    try file.write(.device, identity.saved.text)
  }
}
