import TrackerCore

/// What is committed and not in the database: the records held back, the tail, and the state that differs.
struct FrontContent: Equatable {
  /// Rows of `RecordColumns`, by rising sequence.
  var rows: [[SQLiteValue]] = []
  var tail: [[SQLiteValue]] = []
  var state: [String: String] = [:]
  /// `Commit.periodicKeys` of it, which no slot of a commit has: they have slots of their own.
  var periodic: [String: String] = [:]
  /// The greatest number ever given to a record.
  var lastSequence: Int64 = 0

  /// What the tables' state lacks of `new`, and no more: an empty value says as little as a missing one.
  mutating func merge(_ new: [String: String], beside stored: [String: String]) {
    state.merge(new) { $1 }
    sortOutPeriodic()
    state = state.filter { (stored[$0.key] ?? "") != $0.value }
    periodic = periodic.filter { (stored[$0.key] ?? "") != $0.value }
  }

  /// Slots of earlier versions have all of the state together.
  mutating func sortOutPeriodic() {
    for key in Commit.periodicKeys {
      if let value = state.removeValue(forKey: key) { periodic[key] = value }
    }
  }
}

/// What the tables held when a slot was written: should they be damaged, it shows how much is missing.
struct QueueCensus: Equatable {
  var records = 0
  var quarantined = 0
  var ledger: [String: Int] = [:]
}

/// One slot of the front file, as bytes: a header of 48, then the content. docs/queue.md has the layout.
struct FrontSlot: Equatable {
  static let bytes = 8192
  static let headerBytes = 48
  /// "GdwF" and the layout's version. Version 1 has no census.
  static let magic: UInt64 = 0x0000_0002_4677_6447
  static let magics: [UInt64] = [0x0000_0001_4677_6447, magic]

  var queueID: UInt64
  /// Rises by one with each write of a slot.
  var generation: Int64
  /// The generation that was in the database when the slot was written.
  var base: Int64
  var content: FrontContent
  var census: QueueCensus?

  /// nil when it is too large for a slot.
  func encoded() -> [UInt8]? {
    let payload = payload()
    guard payload.count <= FrontSlot.bytes - FrontSlot.headerBytes else { return nil }
    var header: [UInt8] = []
    for word in [
      FrontSlot.magic, queueID, UInt64(bitPattern: generation), UInt64(bitPattern: base),
      UInt64(payload.count),
    ] { header += FrontSlot.littleEndian(word) }
    return header + FrontSlot.littleEndian(CRC64.of(header + payload)) + payload
  }

  /// nil when it is none, or not whole.
  init?(_ bytes: [UInt8]) {
    guard FrontSlot.isWhole(bytes), let end = FrontSlot.end(bytes),
      let (content, census) = FrontSlot.content(bytes[FrontSlot.headerBytes..<end])
    else { return nil }
    queueID = FrontSlot.word(bytes, 1)
    generation = Int64(bitPattern: FrontSlot.word(bytes, 2))
    base = Int64(bitPattern: FrontSlot.word(bytes, 3))
    (self.content, self.census) = (content, census)
  }

  init(
    queueID: UInt64, generation: Int64, base: Int64, content: FrontContent,
    census: QueueCensus? = QueueCensus()
  ) {
    self.census = census
    self.queueID = queueID
    self.generation = generation
    self.base = base
    self.content = content
  }

  // MARK: Payload

  private static let emptyRow: [SQLiteValue] =
    Array(repeating: .integer(0), count: RecordColumns.count - 1) + [.text("")]

  private func payload() -> [UInt8] {
    var writer = FrontWriter()
    writer.add(content.lastSequence)
    writer.add(UInt64(content.rows.count))
    var last = FrontSlot.emptyRow
    for row in content.rows {
      writer.add(row, after: last)
      last = row
    }
    writer.add(UInt64(content.tail.count))
    for row in content.tail {
      writer.add(row, after: last)
      last = row
    }
    writer.add(UInt64(content.state.count))
    for (key, value) in content.state.sorted(by: { $0.key < $1.key }) {
      writer.add(key)
      writer.add(value)
    }
    add(census ?? QueueCensus(), to: &writer)
    return writer.bytes
  }

  private func add(_ census: QueueCensus, to writer: inout FrontWriter) {
    writer.add(UInt64(census.records))
    writer.add(UInt64(census.quarantined))
    writer.add(UInt64(census.ledger.count))
    for (cause, records) in census.ledger.sorted(by: { $0.key < $1.key }) {
      writer.add(cause)
      writer.add(UInt64(records))
    }
  }

  private static func census(_ reader: inout FrontReader) -> QueueCensus? {
    var census = QueueCensus()
    guard let records = reader.unsigned(), let quarantined = reader.unsigned(), let causes = reader.unsigned()
    else { return nil }
    (census.records, census.quarantined) = (Int(clamping: records), Int(clamping: quarantined))
    for _ in 0..<min(causes, UInt64(bytes)) {
      guard let cause = reader.text(), let records = reader.unsigned() else { return nil }
      census.ledger[cause] = Int(clamping: records)
    }
    return census
  }

  /// The census is nil in a slot of version 1.
  private static func content(_ payload: ArraySlice<UInt8>) -> (FrontContent, QueueCensus?)? {
    var reader = FrontReader(payload)
    var content = FrontContent()
    guard let lastSequence = reader.signed(), let rows = reader.unsigned() else { return nil }
    content.lastSequence = lastSequence
    var last = emptyRow
    for _ in 0..<min(rows, UInt64(bytes)) {
      guard let row = reader.row(after: last) else { return nil }
      content.rows.append(row)
      last = row
    }
    guard let open = reader.unsigned() else { return nil }
    for _ in 0..<min(open, UInt64(bytes)) {
      guard let row = reader.row(after: last) else { return nil }
      content.tail.append(row)
      last = row
    }
    guard let pairs = reader.unsigned() else { return nil }
    for _ in 0..<min(pairs, UInt64(bytes)) {
      guard let key = reader.text(), let value = reader.text() else { return nil }
      content.state[key] = value
    }
    if reader.isAtEnd { return (content, nil) }
    guard let census = census(&reader), reader.isAtEnd else { return nil }
    return (content, census)
  }

  // MARK: Header

  /// Where the content ends; nil when this is no slot.
  static func end(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= headerBytes, magics.contains(word(bytes, 0)) else { return nil }
    let end = word(bytes, 4).addingReportingOverflow(UInt64(headerBytes))
    return !end.overflow && end.partialValue <= UInt64(bytes.count) ? Int(end.partialValue) : nil
  }

  static func checksum(_ bytes: [UInt8], _ end: Int) -> UInt64 {
    CRC64.of(bytes[..<40] + bytes[headerBytes..<end])
  }

  private static func littleEndian(_ word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
  }

  static func word(_ bytes: [UInt8], _ index: Int) -> UInt64 {
    (0..<8).reduce(0) { $0 | UInt64(bytes[index * 8 + $1]) << UInt64($1 * 8) }
  }
}
