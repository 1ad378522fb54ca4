import SwiftProtobuf

/// A body in the compact format, docs/godwit.proto: its columns as records.
struct CompactBatch {
  var queueID: UInt64
  var records: [CompactRecord]
  /// JSON.
  var status: String?

  /// What `Godwit-Schema` says of it.
  static let schema = "compact/2"
  /// So many records are in one request at most; more are refused.
  static let mostRecords = 10_000

  init(_ body: [UInt8]) throws(CompactError) {
    let batch: Godwit_Compact_Batch
    do {
      batch = try Godwit_Compact_Batch(serializedBytes: body)
    } catch {
      throw CompactError(description: "it is no protobuf message Batch")
    }
    queueID = batch.queueID
    status = batch.status.isEmpty ? nil : batch.status
    var columns = try CompactColumns(batch)
    records = try columns.records()
    if records.isEmpty, status == nil {
      throw CompactError(description: "it has neither records nor a status; it may have been cut on its way")
    }
    for (index, extras) in try CompactExtras.texts(batch, records) { records[index].extras = extras }
  }
}

/// Why a compact body cannot be read. Holds no value of a record.
struct CompactError: Error, Equatable, CustomStringConvertible {
  var description: String
}

/// One record as it was before it was made compact. nil is "not known".
struct CompactRecord: Equatable {
  struct Fix: Equatable {
    var latitude_e7: Int64
    var longitude_e7: Int64
    var altitude_m: Int64?
    var speed_dmps: Int64?
    var course_deg: Int64?
    var accuracy_cm: Int64
    var altitudeAccuracy_cm: Int64?
    var speedAccuracy_dmps: Int64?
    var courseAccuracy_deg: Int64?
    var satellites: Int64?
  }

  var sequence: Int64
  var kind: Int
  var time_ms: Int64
  /// 0 GPS, 1 trusted clock, 2 untrusted clock.
  var timeSource: Int
  var isMoving: Bool
  var trip: Int64?
  var odometer_m: Int64
  var confidence: Int64
  var isDriving: Bool
  var isJump: Bool
  var fix: Fix?
  var extras = ""
}

private struct CompactColumns {
  /// A column of differences, summed up as far as it is read.
  private struct Column {
    let differences: [Int64]
    var sum: Int64 = 0

    init(_ differences: [Int64]) { self.differences = differences }

    mutating func go(to index: Int) {
      if !differences.isEmpty { sum &+= differences[index] }
    }
  }

  /// The times that RFC 3339 can hold.
  private static let times_ms: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  private let batch: Godwit_Compact_Batch
  private let count: Int
  private var columns: [KeyPath<Godwit_Compact_Batch, [Int64]>: Column] = [:]

  init(_ batch: Godwit_Compact_Batch) throws(CompactError) {
    self.batch = batch
    count = batch.sequence.count
    guard count <= CompactBatch.mostRecords else {
      throw CompactError(description: "the batch has more than \(CompactBatch.mostRecords) records")
    }
    guard
      count == 0
        || (1...1000).contains(batch.positionUnitE7) && (1...1000).contains(batch.accuracyUnitCm)
          && (1...1000).contains(batch.timeUnitMs)
    else { throw CompactError(description: "a unit of the batch is missing or out of range") }
    let all: [KeyPath<Godwit_Compact_Batch, [Int64]>] = [
      \.sequence, \.time, \.latitude, \.longitude, \.speed, \.course, \.accuracy, \.odometer, \.altitude,
      \.trip,
      \.confidence, \.satellites, \.altitudeAccuracy, \.speedAccuracy, \.courseAccuracy,
    ]
    for column in all { columns[column] = Column(batch[keyPath: column]) }
    guard count == batch.count else { throw CompactError(description: "it was cut on its way") }
    let lengths = columns.values.map(\.differences.count) + [batch.kind.count, batch.flags.count]
    guard lengths.allSatisfy({ $0 == 0 || $0 == count }) else {
      throw CompactError(description: "its columns are not equally long")
    }
  }

  mutating func records() throws(CompactError) -> [CompactRecord] {
    var records: [CompactRecord] = []
    for index in 0..<count {
      for column in columns.keys { columns[column]?.go(to: index) }
      records.append(try record(index))
    }
    return records
  }

  private subscript(_ column: KeyPath<Godwit_Compact_Batch, [Int64]>) -> Int64 { columns[column]?.sum ?? 0 }

  private func record(_ index: Int) throws(CompactError) -> CompactRecord {
    let flags = batch.flags.isEmpty ? 0 : batch.flags[index]
    func has(_ flag: Godwit_Compact_Flag) -> Bool { flags & UInt32(flag.rawValue) != 0 }
    func ifHas(_ flag: Godwit_Compact_Flag, _ value: Int64) -> Int64? { has(flag) ? value : nil }
    let time_ms = self[\.time].multipliedReportingOverflow(by: Int64(batch.timeUnitMs))
    guard !time_ms.overflow, CompactColumns.times_ms.contains(time_ms.partialValue) else {
      throw CompactError(description: "a time is outside the years 0 to 9999")
    }
    return CompactRecord(
      sequence: self[\.sequence], kind: batch.kind.isEmpty ? 0 : batch.kind[index].rawValue,
      time_ms: time_ms.partialValue, timeSource: has(.untrustedClock) ? 2 : has(.clock) ? 1 : 0,
      isMoving: has(.moving), trip: ifHas(.trip, self[\.trip]), odometer_m: self[\.odometer],
      confidence: self[\.confidence], isDriving: has(.driving), isJump: has(.jump),
      fix: has(.place)
        ? CompactRecord.Fix(
          latitude_e7: try degrees_e7(self[\.latitude], most: 90),
          longitude_e7: try degrees_e7(self[\.longitude], most: 180),
          altitude_m: ifHas(.altitude, self[\.altitude]), speed_dmps: ifHas(.speed, self[\.speed]),
          course_deg: ifHas(.course, (self[\.course] % 360 + 360) % 360),
          accuracy_cm: self[\.accuracy] &* Int64(batch.accuracyUnitCm),
          altitudeAccuracy_cm: ifHas(
            .altitudeAccuracy, self[\.altitudeAccuracy] &* Int64(batch.accuracyUnitCm)),
          speedAccuracy_dmps: ifHas(.speedAccuracy, self[\.speedAccuracy]),
          courseAccuracy_deg: ifHas(.courseAccuracy, self[\.courseAccuracy]),
          satellites: ifHas(.satellites, self[\.satellites])) : nil)
  }

  private func degrees_e7(_ value: Int64, most: Int64) throws(CompactError) -> Int64 {
    let (degrees_e7, isFar) = value.multipliedReportingOverflow(by: Int64(batch.positionUnitE7))
    guard !isFar, degrees_e7.magnitude <= most.magnitude * 10_000_000 else {
      throw CompactError(description: "a place is not on the earth")
    }
    return degrees_e7
  }
}
