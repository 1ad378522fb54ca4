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
    records = try CompactColumns(batch).records()
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

/// A column of differences, summed up; all 0 where it is left out.
private struct Column {
  let count: Int
  private let sums: [Int64]

  init(_ differences: [Int64]) {
    count = differences.count
    var sum: Int64 = 0
    sums = differences.map { difference in
      sum &+= difference
      return sum
    }
  }

  subscript(index: Int) -> Int64 { sums.isEmpty ? 0 : sums[index] }
}

private struct CompactColumns {
  private let count: Int
  private let (timeUnit_ms, positionUnit_e7, accuracyUnit_cm): (Int64, Int64, Int64)
  private let kind: [Godwit_Compact_Kind]
  private let flags: [UInt32]
  private let (sequence, time, trip, odometer, confidence): (Column, Column, Column, Column, Column)
  private let (latitude, longitude, altitude, satellites): (Column, Column, Column, Column)
  private let (speed, course): (Column, Column)
  private let (accuracy, altitudeAccuracy, speedAccuracy, courseAccuracy): (Column, Column, Column, Column)

  init(_ batch: Godwit_Compact_Batch) throws(CompactError) {
    count = batch.sequence.count
    guard count <= CompactBatch.mostRecords else {
      throw CompactError(description: "the batch has more than \(CompactBatch.mostRecords) records")
    }
    guard
      count == 0
        || (1...1000).contains(batch.positionUnitE7) && (1...1000).contains(batch.accuracyUnitCm)
          && (1...1000).contains(batch.timeUnitMs)
    else { throw CompactError(description: "a unit of the batch is missing or out of range") }
    guard count == batch.count else { throw CompactError(description: "it was cut on its way") }
    timeUnit_ms = Int64(batch.timeUnitMs)
    positionUnit_e7 = Int64(batch.positionUnitE7)
    accuracyUnit_cm = Int64(batch.accuracyUnitCm)
    (kind, flags) = (batch.kind, batch.flags)
    (sequence, time, trip) = (Column(batch.sequence), Column(batch.time), Column(batch.trip))
    (odometer, confidence) = (Column(batch.odometer), Column(batch.confidence))
    (latitude, longitude) = (Column(batch.latitude), Column(batch.longitude))
    (altitude, satellites) = (Column(batch.altitude), Column(batch.satellites))
    (speed, course) = (Column(batch.speed), Column(batch.course))
    (accuracy, altitudeAccuracy) = (Column(batch.accuracy), Column(batch.altitudeAccuracy))
    (speedAccuracy, courseAccuracy) = (Column(batch.speedAccuracy), Column(batch.courseAccuracy))
    let columns = [
      sequence, time, trip, odometer, confidence, latitude, longitude, altitude, satellites, speed, course,
      accuracy, altitudeAccuracy, speedAccuracy, courseAccuracy,
    ]
    let lengths = columns.map(\.count) + [kind.count, flags.count]
    guard lengths.allSatisfy({ [count] in $0 == 0 || $0 == count }) else {
      throw CompactError(description: "its columns are not equally long")
    }
  }

  func records() throws(CompactError) -> [CompactRecord] {
    var records: [CompactRecord] = []
    records.reserveCapacity(count)
    for index in 0..<count { records.append(try record(index)) }
    return records
  }

  private func record(_ index: Int) throws(CompactError) -> CompactRecord {
    let flags = flags.isEmpty ? 0 : flags[index]
    func has(_ flag: Godwit_Compact_Flag) -> Bool { flags & UInt32(flag.rawValue) != 0 }
    let time_ms = time[index].multipliedReportingOverflow(by: timeUnit_ms)
    guard !time_ms.overflow, Timestamp.isReadable(time_ms.partialValue) else {
      throw CompactError(description: "a time is outside the years 0 to 9999")
    }
    return CompactRecord(
      sequence: sequence[index], kind: kind.isEmpty ? 0 : kind[index].rawValue,
      time_ms: time_ms.partialValue, timeSource: has(.untrustedClock) ? 2 : has(.clock) ? 1 : 0,
      isMoving: has(.moving), trip: has(.trip) ? trip[index] : nil, odometer_m: odometer[index],
      confidence: confidence[index], isDriving: has(.driving), isJump: has(.jump),
      fix: has(.place) ? try fix(index, flags) : nil)
  }

  private func fix(_ index: Int, _ flags: UInt32) throws(CompactError) -> CompactRecord.Fix {
    func ifHas(_ flag: Godwit_Compact_Flag, _ value: Int64) -> Int64? {
      flags & UInt32(flag.rawValue) != 0 ? value : nil
    }
    return CompactRecord.Fix(
      latitude_e7: try degrees_e7(latitude[index], most: 90),
      longitude_e7: try degrees_e7(longitude[index], most: 180),
      altitude_m: ifHas(.altitude, altitude[index]), speed_dmps: ifHas(.speed, speed[index]),
      course_deg: ifHas(.course, (course[index] % 360 + 360) % 360),
      accuracy_cm: accuracy[index] &* accuracyUnit_cm,
      altitudeAccuracy_cm: ifHas(.altitudeAccuracy, altitudeAccuracy[index] &* accuracyUnit_cm),
      speedAccuracy_dmps: ifHas(.speedAccuracy, speedAccuracy[index]),
      courseAccuracy_deg: ifHas(.courseAccuracy, courseAccuracy[index]),
      satellites: ifHas(.satellites, satellites[index]))
  }

  private func degrees_e7(_ value: Int64, most: Int64) throws(CompactError) -> Int64 {
    let (degrees_e7, isFar) = value.multipliedReportingOverflow(by: positionUnit_e7)
    guard !isFar, degrees_e7.magnitude <= most.magnitude * 10_000_000 else {
      throw CompactError(description: "a place is not on the earth")
    }
    return degrees_e7
  }
}
