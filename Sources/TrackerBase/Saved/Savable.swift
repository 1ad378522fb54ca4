/// What outlives the process, as JSON with names, so that any program can read it. What makes no sense of it is not used.
public protocol Savable {
  var saved: JSONValue { get }
  /// nil: it makes no sense.
  init?(saved: JSONValue)
}

/// An object of which each member is declared once. A member that is as in a new object is left out.
public protocol SavedObject: Savable {
  init()
  static var members: [SavedMember<Self>] { get }
  /// Whether its members go together.
  var isSound: Bool { get }
}

/// One member of a `SavedObject`. Unchecked: its functions are given all that they use, and nothing of it changes.
public struct SavedMember<Object: SavedObject>: @unchecked Sendable {
  fileprivate let key: String
  fileprivate var saved: (_ object: Object, _ new: Object) -> JSONValue?
  fileprivate let read: (_ value: JSONValue, _ object: inout Object) -> Bool

  /// - Parameter isSound: false for values that this program does not save.
  public init<Value: Savable & Equatable>(
    _ key: String, _ path: WritableKeyPath<Object, Value>,
    where isSound: @escaping (Value) -> Bool = { _ in true }
  ) {
    self.key = key
    saved = { object, new in
      object[keyPath: path] == new[keyPath: path] ? nil : object[keyPath: path].saved
    }
    read = { value, object in
      guard let value = Value(saved: value), isSound(value) else { return false }
      object[keyPath: path] = value
      return true
    }
  }
}

extension SavedMember {
  /// Rounded: further digits say nothing, and each is written with each commit.
  public init<Value: RoundedSavable>(
    _ key: String, _ path: WritableKeyPath<Object, Value>, decimals: Int,
    where isSound: @escaping (Value) -> Bool = { _ in true }
  ) {
    self.init(key, path, where: isSound)
    saved = { object, new in
      let value = object[keyPath: path].rounded(to: decimals)
      return value == new[keyPath: path] ? nil : value.saved
    }
  }
}

public protocol RoundedSavable: Savable, Equatable {
  func rounded(to decimals: Int) -> Self
}

extension SavedObject {
  public var isSound: Bool { true }

  public var saved: JSONValue {
    let new = Self()
    var members: [JSONMember] = []
    for member in Self.members {
      if let value = member.saved(self, new) { members.append(JSONMember(key: member.key, value: value)) }
    }
    return .object(members)
  }

  public init?(saved: JSONValue) {
    self.init()
    guard read(saved).isEmpty, isSound else { return nil }
  }

  /// Takes what makes sense. - Returns: the names of the other members; an empty one where it is no object.
  public mutating func read(_ saved: JSONValue) -> [String] {
    guard case .object(let found) = saved else { return [""] }
    let members = Self.members
    return found.compactMap { member in
      let isRead = members.first { $0.key == member.key }?.read(member.value, &self) ?? false
      return isRead ? nil : member.key
    }
  }
}

extension JSONValue: Savable {
  public var saved: JSONValue { self }
  public init?(saved: JSONValue) { self = saved }
}

extension Int64: Savable {
  public var saved: JSONValue { .integer(self) }

  /// Sums with it fit.
  public init?(saved: JSONValue) {
    guard let number = saved.whole, number.magnitude <= 1_000_000_000_000_000 else { return nil }
    self = number
  }
}

extension Int: Savable {
  public var saved: JSONValue { .integer(Int64(self)) }

  public init?(saved: JSONValue) {
    guard let number = Int64(saved: saved) else { return nil }
    self.init(exactly: number)
  }
}

extension Double: RoundedSavable {
  public var saved: JSONValue { .number(self) }

  /// Sums with it fit.
  public init?(saved: JSONValue) {
    guard let number = saved.number, number.magnitude <= 1e15 else { return nil }
    self = number
  }

  public func rounded(to decimals: Int) -> Double {
    var parts = 1.0
    for _ in 0..<decimals { parts *= 10 }
    return (self * parts).rounded() / parts
  }
}

extension Bool: Savable {
  public var saved: JSONValue { .bool(self) }

  public init?(saved: JSONValue) {
    guard let value = saved.bool else { return nil }
    self = value
  }
}

extension String: Savable {
  public var saved: JSONValue { .string(self) }

  public init?(saved: JSONValue) {
    guard let value = saved.string else { return nil }
    self = value
  }
}

extension Savable where Self: RawRepresentable, RawValue == String {
  public var saved: JSONValue { .string(rawValue) }

  public init?(saved: JSONValue) {
    guard let word = saved.string else { return nil }
    self.init(rawValue: word)
  }
}

extension Array: Savable where Element: Savable {
  public var saved: JSONValue { .array(map(\.saved)) }

  public init?(saved: JSONValue) {
    guard let values = saved.array else { return nil }
    self = values.compactMap { Element(saved: $0) }
    if count != values.count { return nil }
  }
}

extension Optional: Savable where Wrapped: Savable {
  public var saved: JSONValue { self?.saved ?? .null }

  public init?(saved: JSONValue) {
    guard let value = Wrapped(saved: saved) else { return nil }
    self = value
  }
}

extension Optional: RoundedSavable where Wrapped: RoundedSavable {
  public func rounded(to decimals: Int) -> Wrapped? { map { $0.rounded(to: decimals) } }
}

extension Dictionary: Savable where Key == String, Value: Savable {
  public var saved: JSONValue {
    .object(sorted { $0.key < $1.key }.map { JSONMember(key: $0.key, value: $0.value.saved) })
  }

  public init?(saved: JSONValue) {
    guard case .object(let members) = saved else { return nil }
    self.init()
    for member in members {
      guard let value = Value(saved: member.value) else { return nil }
      self[member.key] = value
    }
  }
}

extension Position {
  /// nil if they are no place on earth.
  package init?(savedLatitude_deg latitude_deg: Double?, longitude_deg: Double?) {
    guard let latitude_deg, let longitude_deg else { return nil }
    self.init(latitude_deg: latitude_deg, longitude_deg: longitude_deg)
    guard isOnEarth else { return nil }
  }
}
