/// A body in the compact format (docs/godwit.proto). Its arithmetic is that file's, step by step.
struct CompactBatch {
  var queueID: UInt64 = 0
  var records: [CompactRecord] = []
  /// JSON.
  var status: String?

  /// So many records are in one request at most; more are refused before there is room made for them.
  static let mostRecords: UInt64 = 10_000

  init(_ body: [UInt8]) throws(CompactError) {
    var header = CompactHeader()
    var columns: [UInt8] = []
    var extras: [ArraySlice<UInt8>] = []
    var reader = ProtobufReader(body)
    while let (field, value) = try reader.next() {
      switch (field, value) {
      case (1, .number(let number)): queueID = number
      case (8, .bytes(let bytes)): columns = Array(bytes)
      case (9, .bytes(let bytes)): extras.append(bytes)
      case (10, .bytes(let bytes)): status = String(decoding: bytes, as: UTF8.self)
      case (_, .number(let number)): header.set(field, number)
      case (_, .bytes): break
      }
    }
    try header.check()
    if header.count > 0 { try read(columns, header, extras) }
  }

  private mutating func read(
    _ bytes: [UInt8], _ header: CompactHeader, _ extras: [ArraySlice<UInt8>]
  ) throws(CompactError) {
    var reader = CompactColumnReader(bytes)
    var columns: [[Int64]] = []
    for _ in CompactColumn.allCases { columns.append(try reader.column(count: Int(header.count))) }
    var rows = CompactRows(header)
    var extras = extras[...]
    for index in 0..<Int(header.count) {
      var record = try rows.next(columns.map { $0[index] })
      if record.hasExtras {
        guard let short = extras.popFirst() else {
          throw CompactError(description: "the extras of a record are missing")
        }
        record.extras = try CompactExtrasReader.text(short, time_ms: record.time_ms)
      }
      records.append(record)
    }
  }
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
    var speedAccuracy_cmps: Int64?
    var courseAccuracy_ddeg: Int64?
    var satellites: Int64?
  }

  var sequence: Int64
  /// 0 position, 1 motion change, 2 geofence, 3 trip, 4 status, 5 warning, 6 speed.
  var kind: Int64
  var time_ms: Int64
  /// 0 GPS, 1 trusted clock, 2 untrusted clock.
  var timeSource: Int64
  var isMoving: Bool
  var trip: Int64?
  var odometer_m: Int64
  var confidence: Int64
  var isDriving: Bool
  var fix: Fix?
  var hasExtras: Bool
  var extras = ""
}

struct CompactHeader {
  var firstSequence: Int64 = 0
  var count: UInt64 = 0
  var firstTime_ms: Int64 = 0
  var timeUnit_ms: UInt64 = 1000
  var timeStep: UInt64 = 0
  var positionUnit_e7: UInt64 = 50

  mutating func set(_ field: UInt64, _ number: UInt64) {
    switch field {
    case 2: firstSequence = Int64(bitPattern: number)
    case 3: count = number
    case 4: firstTime_ms = Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    case 5: timeUnit_ms = number
    case 6: timeStep = number
    case 7: positionUnit_e7 = number
    default: break
    }
  }

  func check() throws(CompactError) {
    guard count <= CompactBatch.mostRecords else {
      throw CompactError(description: "the batch has more than \(CompactBatch.mostRecords) records")
    }
    guard (1...1000).contains(positionUnit_e7) else {
      throw CompactError(description: "the batch's unit of positions is out of range")
    }
  }
}

/// In the order of the columns.
enum CompactColumn: Int, CaseIterable {
  case sequence, time, kind, state, trip, speed, course, latitude, longitude, odometer
  case altitude, accuracy, activity, satellites, altitudeAccuracy, speedAccuracy, courseAccuracy
}
