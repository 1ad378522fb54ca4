import Foundation
import HTTPTypes
import Hummingbird
import Testing

@testable import Collector

/// Lets so many tests at once have a database. All tests start together, and each database has twenty files open: over
/// 1,365 of them Foundation's `Process` reads behind the end of its list of `/proc/self/fd`, and crashes.
private actor Places {
  static let all = Places()
  /// The test has a place already: a folder within its folder needs no second one, which could be waited for for ever.
  @TaskLocal static var isTaken = false
  private var free = 24
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    guard free == 0 else { return free -= 1 }
    await withCheckedContinuation { waiting.append($0) }
  }

  func giveBack() {
    guard !waiting.isEmpty else { return free += 1 }
    waiting.removeFirst().resume()
  }
}

/// A folder that lives as long as the closure.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  guard !Places.isTaken else { return try await inTemporaryFolder(body) }
  await Places.all.take()
  do {
    let result = try await Places.$isTaken.withValue(true) { try await inTemporaryFolder(body) }
    await Places.all.giveBack()
    return result
  } catch {
    await Places.all.giveBack()
    throw error
  }
}

private func inTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "collector-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer {
    try? FileManager.default.removeItem(at: folder)
    TestDatabase.remove(for: folder)
  }
  return try await body(folder)
}

/// A collector over a real database in a temporary folder. Its clock stands at 2026-01-01T00:10:00Z.
func withCollector(
  tokens: String? = nil, operators: String? = nil, deviceTokens: Bool = false, path: String = "/v1/locations",
  change: (inout CollectorOptions) throws -> Void = { _ in },
  _ body: @Sendable (TestClient, Store) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let store = try openStore(folder.appending(path: "fleet.sqlite").path)
    var options = CollectorOptions()
    options.port = 0
    options.uploadPath = path
    options.tokens = tokens.flatMap { Tokens(text: $0) }
    options.operatorTokens = operators.flatMap { Tokens(text: $0) }
    options.deviceTokens = deviceTokens
    options.passwordCost = .init(rounds: 16, blockSize: 1, parallelism: 1)
    try change(&options)
    let collector = makeCollector(store: store, options: options, now_ms: { now_ms })
    try await collector.test { try await body($0, store) }
    try store.close()
  }
}

let now_ms: Int64 = 1_767_226_200_000

/// The uuid that Godwit derives from a queue id and a sequence.
func uuid(queue: UInt64 = 0xabc_def0_1234_5678, _ sequence: UInt64) -> String {
  let high = (queue >> 12) << 16 | 0x8000 | queue & 0xfff
  let low = 0b10 << 62 | sequence
  var rest = [high, low].map { hex16($0) }.joined()[...]
  var parts: [Substring] = []
  for length in [8, 4, 4, 4, 12] {
    parts.append(rest.prefix(length))
    rest = rest.dropFirst(length)
  }
  return parts.joined(separator: "-")
}

private func hex16(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

/// A record as geomony sends it; `extra` goes in as more members, with its leading comma.
func record(
  _ uuid: String, time: String = "2026-01-01T00:00:00.000Z", latitude: String = "59.3293",
  longitude: String = "18.0686", isMoving: Bool = true, event: String = "", extra: String = ""
) -> String {
  """
  {"accuracy":5.0,"activity":{"confidence":100,"type":"in_vehicle"},"altitude":0.0,"altitude_accuracy":-1,\
  "event":"\(event)","extras":"","heading":-1,"heading_accuracy":-1,"is_moving":\(isMoving),\
  "latitude":\(latitude),"longitude":\(longitude),"speed":12.5,"speed_accuracy":-1,"timestamp":"\(time)",\
  "uuid":"\(uuid)"\(extra)}
  """
}

func body(_ records: [String], status: String? = nil) -> String {
  "{\"location\":[\(records.joined(separator: ","))]\(status.map { ",\"status\":\($0)" } ?? "")}"
}

extension ExactName: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(text) }
}

struct Answer {
  var status: Int
  var text: String
  var headers: HTTPFields

  init(_ response: TestResponse) {
    status = response.status.code
    text = String(buffer: response.body)
    headers = response.headers
  }

  func decoded<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }
}

extension TestClient {
  func post(
    _ text: String, device: String? = "van-7", path: String = "/v1/locations",
    headers more: [String: String] = [:]
  ) async throws -> Answer {
    var headers = HTTPFields()
    headers[.contentType] = "application/json"
    headers[.godwitDevice] = device
    for (name, value) in more { headers[try #require(HTTPField.Name(name))] = value }
    return Answer(
      try await execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: text)))
  }

  func put(_ path: String, _ text: String, headers more: [String: String] = [:]) async throws -> Answer {
    var headers = HTTPFields()
    headers[.contentType] = "application/json"
    for (name, value) in more { headers[try #require(HTTPField.Name(name))] = value }
    return Answer(
      try await execute(uri: path, method: .put, headers: headers, body: ByteBuffer(string: text)))
  }

  func delete(_ path: String, headers more: [String: String] = [:]) async throws -> Answer {
    var headers = HTTPFields()
    for (name, value) in more { headers[try #require(HTTPField.Name(name))] = value }
    return Answer(try await execute(uri: path, method: .delete, headers: headers))
  }

  func send(
    _ method: HTTPRequest.Method, _ path: String, _ text: String = "", headers more: [String: String] = [:]
  ) async throws -> Answer {
    var headers = HTTPFields()
    headers[.contentType] = "application/json"
    for (name, value) in more { headers[try #require(HTTPField.Name(name))] = value }
    return Answer(
      try await execute(uri: path, method: method, headers: headers, body: ByteBuffer(string: text)))
  }

  func get(_ path: String, headers more: [String: String] = [:]) async throws -> Answer {
    var headers = HTTPFields()
    for (name, value) in more { headers[try #require(HTTPField.Name(name))] = value }
    return Answer(try await execute(uri: path, method: .get, headers: headers))
  }
}
