import TrackerBase
import TrackerWire

/// The one row of the table `state`: what the store knows of itself, and each part's saved state. JSON, so that any program
/// can read it.
struct StoreState: Equatable {
  /// That of new records.
  var queueID: UInt64
  /// The greatest number ever given to a record.
  var lastSequence: Int64 = 0
  /// The bit of each server in `records.waiting`, by the server's name.
  var bits: [String: Int] = [:]
  var box = QueueBox()
  var idChanges = QueueIDChanges()
  /// Fixes that are not kept yet, as rows: the end of a straight segment, which a power cut must not lose.
  var tail: [[SQLiteValue]] = []
  var parts: [String: JSONValue] = [:]
  /// A log belongs to the file: if there is none, it was removed. See `StoreFile.checkpoint`.
  var isLogNeeded = false
  /// After an orderly end, so that nothing needs to be counted at the next start.
  var figures: [ServerFigures]?
  /// The file took the place of a damaged one, and this was not reported yet.
  var replacement: Replacement?
  /// Likewise: the log was missing, or the state could not be read.
  var losses: Set<Loss> = []

  enum Loss: String, CaseIterable {
    case log
    case state
  }

  struct Replacement: Equatable {
    /// In the name of the file that was set aside; nil: nothing was there.
    var aside_s: Int64?
    var salvaged: Int
    /// Records that are lost; nil: that is not known.
    var lost: Int?
    /// It was removed under a running agent, and not damaged.
    var wasRemoved = false
  }

  init(queueID: UInt64 = StoreSchema.randomID()) { self.queueID = queueID }

  /// With room for many more.
  static let sequences: ClosedRange<Int64> = 0...1 << 60

  mutating func beginID(at now_ms: Int64) {
    queueID = StoreSchema.randomID()
    idChanges = QueueIDChanges(count: idChanges.count + 1, last_ms: now_ms)
  }

  mutating func adopt(_ commit: Commit) {
    for record in commit.records + commit.tail { lastSequence = max(lastSequence, record.sequence) }
    (isLogNeeded, figures) = (false, nil)
    guard commit.hasState else { return }
    tail = commit.tail.map { RecordColumns.values($0, queueID: queueID) }
    parts = commit.state.filter { $0.value != .null }
  }

  // MARK: JSON

  /// With spaces after it: SQLite writes only the pages of a row that differ, as long as its length stays.
  var json: String {
    var json = JSONWriter()
    json.value(value)
    let text = json.text
    return text + String(repeating: " ", count: 255 - (text.utf8.count + 255) % 256)
  }

  private var value: JSONValue {
    var members: [JSONMember] = []
    func add(_ key: String, _ value: JSONValue?) {
      if let value { members.append(JSONMember(key: key, value: value)) }
    }
    func object(_ pairs: [String: Int64]) -> JSONValue {
      .object(pairs.sorted { $0.key < $1.key }.map { JSONMember(key: $0.key, value: .integer($0.value)) })
    }
    add("queue_id", .integer(Int64(bitPattern: queueID)))
    add("last_sequence", .integer(lastSequence))
    add("servers", object(bits.mapValues { Int64($0) }))
    add("box", box.isBlank ? nil : object(box.saved))
    if idChanges.count > 0 { add("id_changes", .integer(Int64(idChanges.count))) }
    add("id_changed_ms", idChanges.last_ms.map { .integer($0) })
    if isLogNeeded { add("log_needed", .bool(true)) }
    add("figures", figures.map { .array($0.map(\.json)) })
    if let replacement {
      var pairs = ["salvaged": Int64(replacement.salvaged)]
      pairs["aside_s"] = replacement.aside_s
      pairs["lost"] = replacement.lost.map { Int64($0) }
      if replacement.wasRemoved { pairs["was_removed"] = 1 }
      add("replacement", object(pairs))
    }
    if !losses.isEmpty { add("losses", .array(losses.map(\.rawValue).sorted().map { .string($0) })) }
    add("parts", parts.saved)
    // Last, as its length changes most: what stays in its place is not written again.
    add("tail", tail.isEmpty ? nil : .array(tail.map { .array($0.map(\.json)) }))
    return .object(members)
  }

  private static func members(_ value: JSONValue?) -> [JSONMember] {
    if case .object(let members)? = value { members } else { [] }
  }

  /// - Returns: nil for anything but what `json` makes. Members that make no sense are passed over.
  init?(json: String) {
    let read = JSONReader.parse(Array(json.utf8))
    guard let read, let id = read["queue_id"]?.integer, (1..<(1 << 60)).contains(id),
      let last = read["last_sequence"]?.integer, StoreState.sequences.contains(last)
    else { return nil }
    func numbers(_ key: String) -> [String: Int64] {
      Dictionary(
        StoreState.members(read[key]).compactMap { member in member.value.integer.map { (member.key, $0) } },
        uniquingKeysWith: { $1 })
    }
    (queueID, lastSequence) = (UInt64(id), last)
    bits = numbers("servers").filter { (0..<63).contains($0.value) }.mapValues { Int($0) }
    // Two names of one bit would take each other's records.
    if Set(bits.values).count < bits.count { bits = [:] }
    box = QueueBox(saved: numbers("box").filter { $0.value >= 0 })
    idChanges = QueueIDChanges(
      count: Int(min(max(read["id_changes"]?.integer ?? 0, 0), 1 << 40)),
      last_ms: read["id_changed_ms"]?.integer)
    isLogNeeded = read["log_needed"]?.bool ?? false
    let counted = read["figures"]?.array
    figures = counted.map { $0.compactMap { ServerFigures(json: $0) } }
    if figures?.count != counted?.count { figures = nil }
    if read["replacement"] != nil {
      let pairs = numbers("replacement")
      replacement = Replacement(
        aside_s: pairs["aside_s"], salvaged: Int(clamping: pairs["salvaged"] ?? 0),
        lost: pairs["lost"].map { Int(clamping: $0) }, wasRemoved: pairs["was_removed"] != nil)
    }
    tail = (read["tail"]?.array ?? []).compactMap { row in
      let values = (row.array ?? []).map { SQLiteValue(json: $0) }
      return values.count == RecordColumns.count && RecordColumns.record(values) != nil ? values : nil
    }
    losses = Set((read["losses"]?.array ?? []).compactMap { $0.string.flatMap { Loss(rawValue: $0) } })
    for member in StoreState.members(read["parts"]) { parts[member.key] = member.value }
  }
}

extension SQLiteValue {
  fileprivate var json: JSONValue {
    switch self {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .text(let text): .string(text)
    }
  }

  fileprivate init(json: JSONValue) {
    if let integer = json.integer {
      self = .integer(integer)
    } else {
      self = json.string.map { .text($0) } ?? .null
    }
  }
}

/// What of the records concerns one server.
struct ServerFigures: Equatable {
  var waiting = 0
  /// Those of `waiting` that are no plain positions.
  var events = 0
  var refused = 0

  mutating func add(kind: Int64?, _ count: Int = 1) {
    waiting += count
    if kind != Int64(Record.Kind.position.rawValue) { events += count }
  }

  var json: JSONValue { .array([waiting, events, refused].map { .integer(Int64($0)) }) }

  init() {}

  init?(json: JSONValue) {
    let numbers = (json.array ?? []).compactMap { $0.integer.map { Int(clamping: $0) } }
    guard numbers.count == 3, numbers.allSatisfy({ (0...1 << 40).contains($0) }) else { return nil }
    (waiting, events, refused) = (numbers[0], numbers[1], numbers[2])
  }
}

/// In which box the store was last used. The values are hashes: they are only ever compared.
struct QueueBox: Equatable {
  private static let (machineID, board, card, home) = ("machine_id", "board", "card", "home_board")

  /// Known parts of the box, and the first board that it was known to be on.
  private(set) var saved: [String: Int64] = [:]

  init(saved: [String: Int64] = [:]) { self.saved = saved }

  var isBlank: Bool { saved.isEmpty }

  /// What is known now takes the place of what was. - Returns: what was known and has changed, in words.
  mutating func note(_ host: HostIdentity) -> [String] {
    let now = [
      (QueueBox.machineID, host.machineID, "under another machine id"),
      (QueueBox.board, host.board, "on another board"), (QueueBox.card, host.card, "on another card"),
    ]
    var changed: [String] = []
    for (key, text, words) in now {
      guard let text else { continue }
      var hash = FNV1a()
      hash.add(text)
      let value = Int64(hash.value >> 1)
      if let before = saved[key], before != value { changed.append(words) }
      saved[key] = value
    }
    if saved[QueueBox.home] == nil { saved[QueueBox.home] = saved[QueueBox.board] }
    return changed
  }

  /// Distinguishes the board from the first one; nil on that one, and where either is not known.
  var boardSuffix: String? {
    guard let board = saved[QueueBox.board], let home = saved[QueueBox.home], board != home else {
      return nil
    }
    return SettingText.hex(UInt64(board) & 0xFFFF_FFFF, digits: 8)
  }
}
