import TrackerCore
import TrackerIO

/// The device's name where no setting gives it, in a file beside the queue: what a machine can be known by may change, and
/// servers know the device by its name.
struct DeviceNameFile {
  let path: String
  private let queuePath: String
  private let root: String
  /// A name, and what it is from.
  private static let mostBytes = 4096

  /// - Parameter root: before the paths of what the machine tells.
  init(queuePath: String, root: String = "") {
    (path, self.queuePath, self.root) = (queuePath + ".device", queuePath, root)
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
      setting: settings.deviceID, machine: machine, kept: kept ?? old.flatMap { $0.saved == nil ? nil : $0 },
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
    let bytes: [UInt8]
    do throws(OutsideFileError) { bytes = try OutsideFile.read(path, limit_bytes: Self.mostBytes) } catch {
      return (nil, error.isMissing ? nil : "the name that was kept cannot be read: \(error)")
    }
    let kept = TextSum.body(of: String(decoding: bytes, as: UTF8.self)).flatMap { DeviceIdentity(saved: $0) }
    return (kept, kept == nil ? "the name that was kept cannot be read: \(path) is damaged" : nil)
  }

  /// A name that a server has given; on storage once this has returned.
  func keep(enrolled name: String) throws(HostError) {
    guard let saved = DeviceIdentity(enrolled: name).saved else { return }
    try? QueueStore.makeFolder(of: path)
    try OwnedFile.write(
      path, TextSum.appended(to: saved), mode: 0o600, owner: OwnedFile.owner(of: QueueAccess.folder(of: path))
    )
  }

  /// - Returns: why it could not be kept, in words. That of a machine id comes again, and need not be.
  private func keep(_ identity: DeviceIdentity) -> String? {
    guard let saved = identity.saved else { return nil }
    try? QueueStore.makeFolder(of: path)
    do throws(HostError) {
      try DurableFile.write(path, TextSum.appended(to: saved))
      return nil
    } catch {
      return identity.source.isMade
        ? "the name could not be kept, and may be another after a restart: \(error)" : nil
    }
  }
}
