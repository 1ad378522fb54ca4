import CSystemd

/// What a message of the bus holds, as far as anybody here asks for it.
indirect enum BusValue: Equatable {
  case text(String)
  case integer(Int64)
  case number(Double)
  case flag(Bool)
  /// A dictionary with texts (or object paths) as keys, or whole numbers in figures.
  case dictionary([String: BusValue])
  /// An array or a structure.
  case list([BusValue])
  case other

  subscript(key: String) -> BusValue? { members[key] }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var list: [BusValue] { if case .list(let values) = self { values } else { [] } }
  var members: [String: BusValue] { if case .dictionary(let members) = self { members } else { [:] } }
}

extension BusValue {
  /// The next value of a message (D-Bus specification, "Type System"); nil at the end of a container, or where
  /// sd-bus finds the message broken.
  init?(next message: OpaquePointer) {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
    switch Character(UnicodeScalar(UInt8(bitPattern: type))) {
    case "s", "o", "g":
      var text: UnsafePointer<CChar>?
      guard sd_bus_message_read_basic(message, type, &text) > 0, let text else { return nil }
      self = .text(String(cString: text))
    case "d":
      var number = 0.0
      guard sd_bus_message_read_basic(message, type, &number) > 0 else { return nil }
      self = .number(number)
    case "b":
      // As sd-bus gives it: an int.
      var flag: Int32 = 0
      guard sd_bus_message_read_basic(message, type, &flag) > 0 else { return nil }
      self = .flag(flag != 0)
    case "y": self.init(UInt8.self, of: message, type)
    case "n": self.init(Int16.self, of: message, type)
    case "q": self.init(UInt16.self, of: message, type)
    case "i": self.init(Int32.self, of: message, type)
    case "u": self.init(UInt32.self, of: message, type)
    case "x": self.init(Int64.self, of: message, type)
    case "t": self.init(UInt64.self, of: message, type)
    case "v", "a", "r", "e": self.init(containerOf: message, type, contents)
    // A descriptor.
    default:
      guard sd_bus_message_skip(message, nil) >= 0 else { return nil }
      self = .other
    }
  }

  private init?<Number: FixedWidthInteger>(_: Number.Type, of message: OpaquePointer, _ type: CChar) {
    var number: Number = 0
    guard sd_bus_message_read_basic(message, type, &number) > 0 else { return nil }
    self = .integer(Int64(clamping: number))
  }

  private init?(containerOf message: OpaquePointer, _ type: CChar, _ contents: UnsafePointer<CChar>?) {
    let isDictionary = type == CChar(bitPattern: UInt8(ascii: "a")) && contents?.pointee == 0x7b
    guard sd_bus_message_enter_container(message, type, contents) > 0 else { return nil }
    var values: [BusValue] = []
    while let value = BusValue(next: message) { values.append(value) }
    guard sd_bus_message_exit_container(message) >= 0 else { return nil }
    if type == CChar(bitPattern: UInt8(ascii: "v")) {
      self = values.first ?? .other
    } else if isDictionary {
      // Entries are structures of two.
      let entries = values.map(\.list).filter { $0.count == 2 }
      self = .dictionary(
        Dictionary(
          entries.compactMap { entry in
            (entry[0].text ?? entry[0].integer.map(String.init)).map { ($0, entry[1]) }
          }, uniquingKeysWith: { $1 }))
    } else {
      self = .list(values)
    }
  }
}
