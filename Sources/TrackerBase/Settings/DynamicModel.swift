/// How a receiver expects to be moved, under the names that u-blox gives it.
public enum DynamicModel: String, SettingChoice {
  /// The receiver keeps what it has.
  case unchanged
  case portable, stationary, pedestrian, automotive, sea
  case airborne1g = "airborne_1g"
  case airborne2g = "airborne_2g"
  case airborne4g = "airborne_4g"
  case wrist, bike, mower, escooter

  /// The number in UBX-CFG-NAV5 and in CFG-NAVSPG-DYNMODEL (u-blox M10 interface description, UBX-21035062).
  package var code: UInt8? {
    switch self {
    case .unchanged: nil
    case .portable: 0
    case .stationary: 2
    case .pedestrian: 3
    case .automotive: 4
    case .sea: 5
    case .airborne1g: 6
    case .airborne2g: 7
    case .airborne4g: 8
    case .wrist: 9
    case .bike: 10
    case .mower: 11
    case .escooter: 12
    }
  }

  /// In words, also for a number that has no name here.
  package static func name(of code: UInt8) -> String {
    allCases.first { $0.code == code }?.rawValue ?? "\(code)"
  }
}
