/// What a request left in the store.
struct Receipt: Codable, Equatable {
  /// The ids of the request that are durable now, in the order of the request.
  var ack: [String]
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
    // A uuid, its quotes and a comma; a reason has about 150 bytes; the names of the members, and numbers.
    var room = Receipt.longest_bytes - 39 * ack.count - 300 * (refused?.count ?? 0) - 1024
    for command in commands ?? [] {
      room -= command.text.utf8.count + 1
      if room >= 0 { self.commands = (self.commands ?? []) + [command] }
    }
    if let config, config.utf8.count <= room { self.config = config }
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
    let ids = try Self.insert(upload, of: device, at: now_ms, db)
    for (record, (key, id)) in zip(upload.records, ids) {
      if let key, let id {
        stored.append((key, record.time_ms))
        device.stored(record, key, id: id)
        FleetEvent(record, of: upload.device).map { events.append($0) }
      } else if try Self.differs(record, of: device, db) {
        refused.append(.conflict(record))
        continue
      }
      ack.append(record.id)
    }
    device.refused(refused.count, at: now_ms)
    try device.save(db, upload, at: now_ms)
    try DeviceQueue.add(stored, device: device.id, db)
    let now = try DeviceQueue.atOnce(db, device: device.id)
    try VehicleNow.refresh(db, device: device.id, withStatus: upload.status != nil, queuesAtOnce: now)
    var receipt = Receipt(
      ack: ack, stored: stored.count, duplicates: ack.count - stored.count,
      refused: refused.isEmpty ? nil : refused, newlyAtOnce: now > atOnce ? now : nil,
      toTell: try Self.announce(events, at: now_ms, db))
    receipt.carry(
      commands: try StoredCommand.open(of: device.id, after: upload.status, at: now_ms, db),
      config: try DeviceConfig.pending(for: device.id, db))
    return receipt
  }

  /// - Returns: for each record its place, and the number of its row; nil: it was there.
  private static func insert(
    _ upload: Upload, of device: DeviceRow, at now_ms: Int64, _ db: any Database
  ) throws -> [(key: RecordKey?, id: Int64?)] {
    let keys = try device.keys(of: upload.records, db)
    let new = zip(upload.records, keys).compactMap { record, key in
      key.map { NewRecord(key: $0, record: record) }
    }
    let source = RecordSource(device: device.id, batch: upload.batch, received_ms: now_ms)
    var ids = try db.insert(new, by: source)[...]
    return keys.map { key in (key, key == nil ? nil : ids.popFirst() ?? nil) }
  }

  /// Whether the record that is stored under this identity is another one.
  private static func differs(
    _ record: UploadedRecord, of device: DeviceRow, _ db: any Database
  ) throws -> Bool {
    let columns =
      "SELECT time_ms, event, latitude, longitude FROM \(db.dialect.keyedRecord) WHERE device_id = ?"
    let row =
      switch record.identity {
      case .sequenced(let queueID, let sequence):
        try db.row("\(columns) AND sequence = ? AND queue_id = ?", [device.id, sequence, queueID])
      case .uuid:
        try db.row("\(columns) AND \(db.dialect.keyedUUID) = ? AND queue_id = -1", [device.id, record.uuid])
      }
    guard let row else { return false }
    let before = RecordContent(
      time_ms: row["time_ms"], event: row["event"], latitude: row["latitude"], longitude: row["longitude"])
    return !before.isSame(as: RecordContent(record))
  }
}
