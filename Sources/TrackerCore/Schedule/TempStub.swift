public protocol ZoneRules: Sendable { func offset_s(at unix_s: Int64) -> Int }
public struct Schedule: Sendable {
  public var isAlwaysOpen: Bool { true }
  public func isOpen(at unix_s: Int64, in zone: some ZoneRules) -> Bool { true }
  public func nextChange(after unix_s: Int64, in zone: some ZoneRules) -> Int64? { nil }
}
