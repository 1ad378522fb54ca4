/// What values a setting takes.
public enum SettingType: Sendable {
  case number(ClosedRange<Double>)
  case integer(ClosedRange<Int>)
  case flag
  case text
  case choice(any SettingChoice.Type)
  case texts
  /// Free keys with text values.
  case table

  /// The bounds or the choices, in words such as `10 to 3600 s`; nil where there are none.
  func allowed(for key: String) -> String? {
    switch self {
    case .number(let range): SettingText.range(range, of: key)
    case .integer(let range): SettingText.range(range, of: key)
    case .choice(let choice): choice.names.map(SettingText.quoted).joined(separator: ", ")
    case .flag, .text, .texts, .table: nil
    }
  }

  /// What a message asks for.
  func wanted(for key: String) -> String {
    let allowed = allowed(for: key) ?? ""
    return switch self {
    case .number: "a number (\(allowed))"
    case .integer: "a whole number (\(allowed))"
    case .flag: "true or false"
    case .text: "text between quotes"
    case .choice: "one of \(allowed)"
    case .texts: "a list of texts, as in [\"…\", \"…\"]"
    case .table: "a table of texts"
    }
  }
}

/// The value of a setting.
public enum SettingValue: Equatable, Sendable {
  case number(Double)
  case integer(Int)
  case flag(Bool)
  case text(String)
  case texts([String])
  case table([String: String])

  /// As TOML writes it.
  var toml: String {
    switch self {
    case .number(let number): SettingText.number(number)
    case .integer(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .text(let text): SettingText.quoted(text)
    case .texts(let texts): "[\(texts.map(SettingText.quoted).joined(separator: ", "))]"
    case .table(let texts) where texts.isEmpty: "{}"
    case .table(let texts):
      "{ \(texts.sorted { $0.key < $1.key }.map { "\(SettingText.dotted([$0.key])) = \(SettingText.quoted($0.value))" }.joined(separator: ", ")) }"
    }
  }
}

/// A type that the value of a setting can have.
public protocol SettingRepresentable: Equatable, Sendable {
  init?(setting value: SettingValue)
  var settingValue: SettingValue { get }
}

public protocol BoundedSetting: SettingRepresentable, Comparable {
  static func settingType(in range: ClosedRange<Self>) -> SettingType
}

public protocol UnboundedSetting: SettingRepresentable {
  static var settingType: SettingType { get }
}

/// A few named values.
public protocol SettingChoice: UnboundedSetting, CaseIterable, RawRepresentable<String> {
  /// What people write instead, and the value that they mean; none is accepted.
  static var otherNames: [String: String] { get }
}

extension SettingChoice {
  public static var settingType: SettingType { .choice(Self.self) }
  public static var names: [String] { allCases.map(\.rawValue) }
  public static var otherNames: [String: String] { [:] }
  static func isName(_ text: String) -> Bool { Self(rawValue: text) != nil }

  public init?(setting value: SettingValue) {
    if case .text(let name) = value { self.init(rawValue: name) } else { return nil }
  }
  public var settingValue: SettingValue { .text(rawValue) }
}

extension Double: BoundedSetting {
  public static func settingType(in range: ClosedRange<Self>) -> SettingType { .number(range) }
  public init?(setting value: SettingValue) {
    if case .number(let value) = value { self = value } else { return nil }
  }
  public var settingValue: SettingValue { .number(self) }
}

extension Int: BoundedSetting {
  public static func settingType(in range: ClosedRange<Self>) -> SettingType { .integer(range) }
  public init?(setting value: SettingValue) {
    if case .integer(let value) = value { self = value } else { return nil }
  }
  public var settingValue: SettingValue { .integer(self) }
}

extension Bool: UnboundedSetting {
  public static var settingType: SettingType { .flag }
  public init?(setting value: SettingValue) {
    if case .flag(let value) = value { self = value } else { return nil }
  }
  public var settingValue: SettingValue { .flag(self) }
}

extension String: UnboundedSetting {
  public static var settingType: SettingType { .text }
  public init?(setting value: SettingValue) {
    if case .text(let value) = value { self = value } else { return nil }
  }
  public var settingValue: SettingValue { .text(self) }
}

extension [String]: SettingRepresentable, UnboundedSetting {
  public static var settingType: SettingType { .texts }
  public init?(setting value: SettingValue) {
    if case .texts(let value) = value { self = value } else { return nil }
  }
  public var settingValue: SettingValue { .texts(self) }
}

extension [String: String]: SettingRepresentable, UnboundedSetting {
  public static var settingType: SettingType { .table }
  public init?(setting value: SettingValue) {
    if case .table(let value) = value { self = value } else { return nil }
  }
  public var settingValue: SettingValue { .table(self) }
}
