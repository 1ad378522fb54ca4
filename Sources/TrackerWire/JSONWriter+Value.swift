import TrackerBase

extension JSONWriter {
  /// A value that was read, without white space.
  public mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .number(let value): number(value)
    // Whoever reads it again finds the same.
    case .outOfRange: raw("1e999")
    case .string(let value): string(value)
    case .array(let values):
      beginArray()
      for value in values { self.value(value) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(named: member.key)
        self.value(member.value)
      }
      endObject()
    }
  }
}

extension JSONValue {
  /// Without white space.
  public var text: String {
    var json = JSONWriter()
    json.value(self)
    return json.text
  }
}
