/// The name under which a device sends, and what it is from: docs/queue.md, The device's name.
public struct DeviceIdentity: Equatable, Sendable {
  public enum Source: String, FigureChoice, Sendable {
    case deviceID = "device_id"
    /// The server has given it: docs/provisioning.md.
    case enrolled
    case machineID = "machine_id"
    case board, card
    case hardwareAddress = "hardware_address"
    case random

    /// It was made, for want of a machine id.
    public var isMade: Bool { !prefix.isEmpty }

    /// What the name is from, for operators.
    var words: String { traits.words }
    fileprivate var prefix: String { traits.prefix }

    private var traits: (words: String, prefix: String) {
      switch self {
      case .deviceID: ("device_id", "")
      case .enrolled: ("its enrolment", "")
      case .machineID: ("the machine id", "")
      case .board: ("the board's serial number", "board-")
      case .card: ("the card's id", "card-")
      case .hardwareAddress: ("a hardware address", "mac-")
      case .random: ("chance", "box-")
      }
    }
  }

  /// What a machine can be known by; nil for what it does not tell.
  public struct Machine: Equatable, Sendable {
    public var machineID: String?
    public var board: String?
    public var card: String?
    public var hardwareAddress: String?

    public init(
      machineID: String? = nil, board: String? = nil, card: String? = nil, hardwareAddress: String? = nil
    ) {
      (self.machineID, self.board, self.card) = (machineID, board, card)
      self.hardwareAddress = hardwareAddress
    }
  }

  public let name: String
  public let source: Source

  private init(_ name: String, _ source: Source) { (self.name, self.source) = (name, source) }

  /// A name that a server or a boot partition's file has given. To be kept; `device_id` goes before it.
  public init(enrolled name: String) { self.init(name, .enrolled) }

  /// A name that was made or given is kept, also when there is a machine id later: servers know the device by it. One from a
  /// machine id follows that, and stays where it vanishes.
  ///
  /// - Parameters:
  ///   - setting: `device_id`.
  ///   - kept: beside the queue, from an earlier start.
  ///   - chance: for a name where there is nothing to make one of.
  public init(setting: String, machine: Machine, kept: DeviceIdentity?, chance: UInt64) {
    if !setting.isEmpty {
      self.init(setting, .deviceID)
    } else if let kept, kept.source.isMade || kept.source == .enrolled || machine.machineID == nil {
      self = kept
    } else if let id = machine.machineID {
      self.init(id, .machineID)
    } else {
      self = DeviceIdentity.made(of: machine, chance: chance)
    }
  }

  private static func made(of machine: Machine, chance: UInt64) -> DeviceIdentity {
    let parts: [(Source, String?)] = [
      (.board, machine.board), (.card, machine.card), (.hardwareAddress, machine.hardwareAddress),
    ]
    for (source, text) in parts {
      if let plain = text.map(plain), !plain.isEmpty {
        return DeviceIdentity(source.prefix + plain, source)
      }
    }
    return DeviceIdentity(Source.random.prefix + SettingText.hex(chance, digits: 16), .random)
  }

  /// Small letters and digits alone, so that it is the same in a header, a topic and a file's name; 64 at most.
  private static func plain(_ text: String) -> String {
    String(text.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(64))
  }

  /// What the journal and `godwit check` say of a name that nobody has given; nil for one as it should be.
  ///
  /// - Parameter hasMachineID: now.
  public func note(hasMachineID: Bool) -> String? {
    switch (source, hasMachineID) {
    case (.deviceID, _), (.enrolled, _), (.machineID, true): nil
    case (.machineID, false):
      "this machine has lost its machine id: the device keeps the name \(name) that it had from it; set device_id, or run systemd-machine-id-setup"
    case (.board, true), (.card, true), (.hardwareAddress, true), (.random, true):
      "this machine has a machine id now, and the device keeps the name \(name) that it got without one, from \(source.words); set device_id for another name"
    case (.board, false), (.card, false), (.hardwareAddress, false), (.random, false):
      "device_id is not set, and this machine has no machine id: the device is named \(name), from \(source.words), and keeps that name; set device_id for another one"
    }
  }

  // MARK: saved

  public var saved: JSONValue { ["name": .string(name), "source": .string(source.rawValue)] }

  /// - Returns: nil for a name that no source makes. No name from `device_id` is ever saved.
  public init?(saved: JSONValue) {
    guard case .object(let members) = saved, members.count == 2, let name = saved["name"]?.string,
      let source = saved["source"]?.string.flatMap(Source.init), source != .deviceID, !name.isEmpty,
      DeviceName.problem(of: name) == nil
    else { return nil }
    let isPlain = name.unicodeScalars.allSatisfy { (0x21...0x7e).contains($0.value) }
    guard source == .enrolled || isPlain && name.hasPrefix(source.prefix) else { return nil }
    self.init(name, source)
  }
}
