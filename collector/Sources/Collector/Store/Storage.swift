import Foundation

/// What the collector needs of a database. ``Store`` is the one there is, over SQLite or PostgreSQL. What a call has changed is durable, and whole, when it returns.
typealias Storage = RecordStorage & FleetStorage & SteeringStorage & TokenStorage & OperatorStorage
  & ExportStorage & WebhookStorage & RetentionStorage & LoginStorage & ChangeStorage & ReportStorage

/// Records in, and out by sequence.
protocol RecordStorage: Sendable {
  func store(_ upload: Upload, at now_ms: Int64) async throws -> Receipt
  func records(device: String, after sequence: Int64?, limit: Int) async throws -> [StoredRecord]?
  func gaps(device: String, from from_ms: Int64?, to to_ms: Int64?) async throws -> [StoredGap]?
  func devices() async throws -> [DeviceSummary]
  func forget(device: String) async throws -> Bool?
}

/// The fleet at a glance, and a vehicle's days.
protocol FleetStorage: Sendable {
  func vehicles(
    named names: Set<ExactName>?, at now_ms: Int64, silentAfter_ms: Int64, target: AgentVersion?
  ) async throws -> [Vehicle]
  /// Those of some passes that still let in.
  func inForce(_ passes: Set<Pass>, at now_ms: Int64) async throws -> Set<Pass>
  func status(of device: String) async throws -> DeviceSummary?
  func day(device: String, from from_ms: Int64, to to_ms: Int64) async throws -> Day?
  /// The last position at or before an instant; nil inside: there is none. Nil if the device is unknown.
  func position(of device: String, at time_ms: Int64) async throws -> Day.Point??
  /// Geofences that operators have set for any vehicle, each once: features of GeoJSON.
  func geofences() async throws -> [JSONValue]
}

/// Settings and commands of devices.
protocol SteeringStorage: Sendable {
  func config(device: String) async throws -> DeviceConfig??
  func setConfig(
    device: String, version: Int64?, members: [String: String], by who: String, at now_ms: Int64
  ) async throws -> DeviceConfig
  func setConfigs(
    devices: [String], members: [String: String], isMerged: Bool, by who: String, at now_ms: Int64
  ) async throws -> [(device: String, version: Result<Int64, Refusal>)]
  func configHistory(of device: String) async throws -> [PastConfig]?
  func commands(device: String) async throws -> [StoredCommand]?
  func addCommand(
    device: String, id: String?, members: [String: JSONValue], expires_ms: Int64?, by who: String,
    at now_ms: Int64
  ) async throws -> StoredCommand
  func setGroups(of device: String, to names: Set<String>) async throws -> Bool
}

/// How devices are let in.
protocol TokenStorage: Sendable {
  func owner(ofToken token: String) async throws -> TokenOwner?
  func wasUsed(_ owner: TokenOwner, at now_ms: Int64) async throws
  func tokens(of device: String?) async throws -> [StoredToken]?
  func issueToken(to device: String, at now_ms: Int64) async throws -> (token: String, number: Int64)
  func register(
    _ tokens: [(device: String, hash: Data)], ends: Bool, at now_ms: Int64
  ) async throws -> TokensRegistered
  func revokeTokens(of device: String, number: Int64?) async throws -> Int?
  func codes(at now_ms: Int64) async throws -> [StoredCode]
  func makeCodes(
    _ count: Int, for name: String?, validFor_ms: Int64, at now_ms: Int64
  ) async throws -> [String]
  func revokeCode(_ number: Int64) async throws -> Bool
  func enrol(code: String, nonce: String, wanted: String?, at now_ms: Int64) async throws -> EnrolmentOutcome
}

/// How people are let in, and what they have done.
protocol OperatorStorage: Sendable {
  func hasOperators() async throws -> Bool
  func operators() async throws -> [StoredOperator]
  func passwordHash(of name: String) async throws -> PasswordHash?
  func addOperator(_ name: String, role: Role, _ hash: PasswordHash, at now_ms: Int64) async throws -> Bool
  func changeOperator(
    _ name: String, role: Role?, _ hash: PasswordHash?, ifStill old: PasswordHash?, at now_ms: Int64
  ) async throws -> Bool
  func removeOperator(_ name: String, opens: Bool) async throws -> Bool
  func openSession(_ hash: Data, of name: String, with password: PasswordHash, at now_ms: Int64) async throws
    -> Session?
  func session(_ hash: Data, at now_ms: Int64) async throws -> Session?
  func endSession(_ hash: Data) async throws
  func audit(who: String, action: String, device: String?, status: Int?, at now_ms: Int64) async throws
    -> Int64
  func closeAudit(_ number: Int64, status: Int) async throws
  func audits(device: String?, before number: Int64?, limit: Int) async throws -> [StoredAudit]
}

/// Who is told of events, and what waits to be told.
protocol WebhookStorage: Sendable {
  func webhooks() async throws -> [StoredWebhook]
  func addWebhook(_ target: String, _ events: [FleetEvent.Kind], secret: String, at now_ms: Int64)
    async throws
    -> Int64?
  func removeWebhook(_ number: Int64) async throws -> Bool
  func announceSilence(at now_ms: Int64, after silentAfter_ms: Int64) async throws -> Int
  func dueWebhooks(at now_ms: Int64) async throws -> [(number: Int64, isMail: Bool)]
  func dueDeliveries(of webhook: Int64, at now_ms: Int64, limit: Int) async throws -> [Delivery]
  func delivered(_ delivery: Delivery, at now_ms: Int64) async throws
  func failed(_ delivery: Delivery, _ words: String, next next_ms: Int64?, at now_ms: Int64) async throws
}

extension Store: Storage {}
