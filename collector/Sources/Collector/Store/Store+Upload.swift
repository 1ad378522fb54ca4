/// What a request left in the store.
struct Receipt: Codable, Equatable {
  /// The ids of the request that are durable now, in the order of the request.
  var ack: [String]
  /// The request's numbers, where all of it is durable now: the answer has them instead of the ids.
  var batch: String?
  var stored: Int
  /// How many had been stored before.
  var duplicates: Int
  /// Those that will never be stored: another record has their identity. Left out where there are none.
  var refused: [RefusedRecord]?
  /// Settings that the device has not reported yet, as they were set; the answer has them beside the rest.
  var config: String?
  /// Commands whose results the device has not reported yet. Left out where there are none.
  var commands: [JSONValue]?
  /// So many queues of the device have records of the same time, and had not before this request. Not in the answer.
  var newlyAtOnce: Int?
  /// So many are to be told of what this request brought. Not in the answer.
  var toTell: Int?

  enum CodingKeys: String, CodingKey { case ack, stored, duplicates, refused, commands }

  /// The least that a device's `max_reply_kb` may be: of a longer answer it reads the acknowledgement alone.
  static let longest_bytes = 128 * 1024

  /// What fits beside the acknowledgement; the rest goes with a later answer, to a request with fewer records.
  mutating func carry(commands: [JSONValue]?, config: String?) {
    // 39 are a uuid, its quotes and a comma; a reason has about 150 bytes; the names of the members, and numbers.
    let acknowledged_bytes = batch?.utf8.count ?? 39 * ack.count
    var room = Receipt.longest_bytes - acknowledged_bytes - 300 * (refused?.count ?? 0) - 1024
    for command in commands ?? [] {
      room -= command.text.utf8.count + 1
      if room >= 0 { self.commands = (self.commands ?? []) + [command] }
    }
    if let config, config.utf8.count <= room { self.config = config }
  }
}

extension Receipt {
  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    if let batch { try members.encode(batch, forKey: .ack) } else { try members.encode(ack, forKey: .ack) }
    try members.encode(stored, forKey: .stored)
    try members.encode(duplicates, forKey: .duplicates)
    try members.encodeIfPresent(refused, forKey: .refused)
    try members.encodeIfPresent(commands, forKey: .commands)
  }
}

/// A record that the collector names in its answer as refused for good.
struct RefusedRecord: Codable, Equatable {
  var uuid: String
  /// Why, for the device.
  var code: String
  /// Why, for a person.
  var reason: String

  /// Without a value of either record.
  static func conflict(_ record: UploadedRecord) -> RefusedRecord {
    RefusedRecord(
      uuid: record.id, code: "identity_conflict",
      reason: "another record with this identity is stored, of another time, event or place: "
        + "do two devices share a name and a copied queue?")
  }
}

extension Store {
  /// Stores each record once, all in one transaction; returns after its commit. A record that is there
  /// already stays as it is, and one that differs from it is not acknowledged.
  ///
  /// What comes while another commit is on its way to the disk shares the next one: a flush takes the same time for one
  /// device and for fifty.
  func store(_ upload: Upload, at now_ms: Int64) async throws -> Receipt {
    try await withCheckedThrowingContinuation { continuation in
      let waiting = WaitingUpload(upload: upload, now_ms: now_ms, continuation: continuation)
      if uploads.add(waiting) { Task { await storeAll() } }
    }
  }

  private func storeAll() async {
    while let group = uploads.next() {
      do {
        try await connection.makeRoom(for: group.map(\.upload))
        let receipts = try await connection.writeBeside { try Self.store(group, $0) }
        for (one, receipt) in zip(group, receipts) { one.continuation.resume(returning: receipt) }
      } catch {
        for one in group { await storeAlone(one, insteadOf: error, isAlone: group.count == 1) }
      }
    }
  }

  /// Two transactions that lock several devices each must lock them in the same order.
  private static func store(_ group: [WaitingUpload], _ db: any Database) throws -> [Receipt] {
    var receipts: [Receipt?] = group.map { _ in nil }
    let order =
      db.dialect.isShared
      ? group.indices.sorted { (group[$0].upload.device, $0) < (group[$1].upload.device, $1) }
      : Array(group.indices)
    for place in order { receipts[place] = try store(group[place].upload, at: group[place].now_ms, db) }
    return receipts.compactMap(\.self)
  }

  /// One that cannot be stored must not take the others along.
  private func storeAlone(_ one: WaitingUpload, insteadOf error: any Error, isAlone: Bool) async {
    if isAlone { return one.continuation.resume(throwing: error) }
    do {
      try await connection.makeRoom(for: [one.upload])
      let receipt = try await connection.writeBeside { try Self.store(one.upload, at: one.now_ms, $0) }
      one.continuation.resume(returning: receipt)
    } catch {
      one.continuation.resume(throwing: error)
    }
  }

  private static func store(_ upload: Upload, at now_ms: Int64, _ db: any Database) throws -> Receipt {
    var device = try DeviceRow.fetchOrInsert(db, name: upload.device)
    let atOnce = try DeviceQueue.atOnce(db, device: device.id)
    var events: [FleetEvent] = []
    var (stored, ack, refused) = ([(key: RecordKey, time_ms: Int64)](), [String](), [RefusedRecord]())
    var new: [(UploadedRecord, RecordKey)] = []
    let source = RecordSource(device: device.id, batch: upload.batch, received_ms: now_ms)
    for (record, place) in zip(upload.records, try Self.insert(upload, of: device, by: source, db)) {
      switch try Self.settled(record, place, by: source, db) {
      case .stored(let key, let id):
        // A date that was not trusted says nothing of when a queue or a device was in use.
        let time_ms = record.isDated ? record.time_ms : now_ms
        stored.append((key, time_ms))
        new.append((record, key))
        device.stored(record, key, id: id, at: time_ms)
        FleetEvent(record, of: upload.device).map { events.append($0) }
      case .isThere: break
      case .conflict:
        refused.append(.conflict(record))
        continue
      }
      ack.append(record.id)
    }
    device.refused(refused.count, at: now_ms)
    try device.save(db, upload, at: now_ms)
    try DeviceQueue.add(stored, device: device.id, db)
    try TripTable.add(new, device: device.id, at: now_ms, db)
    try EventTable.add(new.map(\.0), device: device.id, at: now_ms, db)
    let now = try DeviceQueue.atOnce(db, device: device.id)
    try VehicleNow.refresh(db, device: device.id, withStatus: upload.status != nil, queuesAtOnce: now)
    var receipt = Receipt(
      ack: ack, stored: stored.count, duplicates: ack.count - stored.count,
      refused: refused.isEmpty ? nil : refused, newlyAtOnce: now > atOnce ? now : nil,
      toTell: try Self.announce(events, at: now_ms, db))
    if refused.isEmpty { receipt.batch = upload.numbers }
    receipt.carry(
      commands: try StoredCommand.open(of: device.id, after: upload.status, at: now_ms, db),
      config: try DeviceConfig.pending(for: device.id, db))
    return receipt
  }

  /// - Returns: for each record its place, and the number of its row; nil: its identity was there.
  private static func insert(
    _ upload: Upload, of device: DeviceRow, by source: RecordSource, _ db: any Database
  ) throws -> [(key: RecordKey?, id: Int64?)] {
    let keys = try device.keys(of: upload.records, db)
    let new = zip(upload.records, keys).compactMap { record, key in
      key.map { NewRecord(key: $0, record: record) }
    }
    var ids = try db.insert(new, by: source)[...]
    return keys.map { key in (key, key == nil ? nil : ids.popFirst() ?? nil) }
  }

  private enum Outcome {
    case stored(RecordKey, id: Int64)
    case isThere
    /// Another record has its identity.
    case conflict
  }

  private static func settled(
    _ record: UploadedRecord, _ place: (key: RecordKey?, id: Int64?), by source: RecordSource,
    _ db: any Database
  ) throws -> Outcome {
    if let key = place.key, let id = place.id { return .stored(key, id: id) }
    if let known = try compared(record, of: source.device, db) { return known }
    guard let key = place.key, let orphans = try orphans(record, key, of: source.device, db) else {
      return .isThere
    }
    // Whoever had these may have put their records back in the meantime.
    if let known = try compared(record, of: source.device, db) { return known }
    return try storeAnew(record, key, insteadOf: orphans, by: source, db).map { .stored(key, id: $0) }
      ?? .isThere
  }

  /// Identities that a record comes with and that have no record any more, locked: their month is being dropped
  /// (Store+Months). Nil: there are no such.
  private static func orphans(
    _ record: UploadedRecord, _ key: RecordKey, of device: Int64, _ db: any Database
  ) throws -> [Int64]? {
    guard let statement = db.dialect.lockKeys else { return nil }
    let uuid = record.identity == .uuid ? record.uuid : nil
    return try db.values(Int64.self, statement, [device, key.sequence, key.queueID, uuid])
  }

  /// An identity is forgotten with its record, so this one is new. That one counts as deleted here, since whoever drops its
  /// month does not find it any more.
  private static func storeAnew(
    _ record: UploadedRecord, _ key: RecordKey, insteadOf orphans: [Int64], by source: RecordSource,
    _ db: any Database
  ) throws -> Int64? {
    if let statement = db.dialect.deleteKeys {
      let count = try db.execute(statement, [JSONValue.array(orphans.map { .integer($0) }).text])
      try db.execute(
        "UPDATE device SET deleted = deleted + ?, last_deleted_ms = ? WHERE id = ?",
        [count, source.received_ms, source.device])
    }
    return try db.insert([NewRecord(key: key, record: record)], by: source)[0]
  }

  private static func compared(
    _ record: UploadedRecord, of device: Int64, _ db: any Database
  ) throws -> Outcome? {
    try content(storedAs: record, of: device, db).map {
      $0.isSame(as: RecordContent(record)) ? .isThere : .conflict
    }
  }

  /// What is stored under the identity of a record; nil: nothing.
  private static func content(
    storedAs record: UploadedRecord, of device: Int64, _ db: any Database
  ) throws -> RecordContent? {
    let columns =
      "SELECT time_ms, event, extras, latitude, longitude FROM \(db.dialect.keyedRecord) WHERE device_id = ?"
    let row =
      switch record.identity {
      case .sequenced(let queueID, let sequence):
        try db.row("\(columns) AND sequence = ? AND queue_id = ?", [device, sequence, queueID])
      case .uuid:
        try db.row("\(columns) AND \(db.dialect.keyedUUID) = ? AND queue_id = -1", [device, record.uuid])
      }
    return row.map {
      RecordContent(
        time_ms: $0["time_ms"], event: $0["event"], extras: $0["extras"], latitude: $0["latitude"],
        longitude: $0["longitude"])
    }
  }
}
