import Foundation

/// One request of a device: its records in order, and its status document if it sent one.
struct Upload: Sendable {
  var device: String
  /// The payload's format as the device names it, such as `geomony/1`.
  var schema: String?
  var batch: String?
  var records: [UploadedRecord]
  /// The text of a JSON object.
  var status: String?
  /// It had one of more than ``mostStatus_bytes``, which does not count.
  var hasTooLongStatus = false
  /// What they are is not known: records of a later version, perhaps.
  var hasUnknownMembers = false

  init(
    device: String, schema: String? = nil, batch: String? = nil, records: [UploadedRecord],
    status: String? = nil
  ) {
    self.device = device
    self.schema = schema
    self.batch = batch
    self.records = records
    if let status, status.utf8.count > Self.mostStatus_bytes {
      hasTooLongStatus = true
    } else {
      self.status = status
    }
  }

  /// Some six times what an agent sends.
  static let mostStatus_bytes = 64 << 10

  /// Reads the body `{"geofence":[…],"location":[…],"status":{…}}`. One of the arrays is enough. Other members are
  /// allowed. Throws a ``Refusal``.
  ///
  /// - Parameter badRecord: is asked about each record that cannot be stored; if it does not throw, the others are read.
  init(
    device: String, schema: String?, batch: String?, body: [UInt8],
    badRecord: (Refusal) throws -> Void = { throw $0 }
  ) throws {
    guard String(validating: body, as: UTF8.self) != nil, let members = JSONSlices.members(body[...]) else {
      throw Refusal.badBody("the body is not a JSON object")
    }
    var records: [UploadedRecord]?
    var status: String?
    var hasUnknownMembers = false
    for (key, value) in members {
      switch key {
      case "location", "geofence":
        // What is not understood must not be acknowledged with the rest.
        guard let slices = JSONSlices.elements(value) else {
          throw Refusal.badBody("the body's `\(key)` is no array")
        }
        let before = records ?? []
        let fields = RecordFields.all(in: value, count: slices.count)
        records =
          try before
          + slices.enumerated().compactMap { place, slice in
            let index = before.count + place
            return try Self.record(else: badRecord) {
              try key == "location"
                ? UploadedRecord(slice, fields?[place], index: index)
                : UploadedRecord(geofence: slice, fields?[place], index: index)
            }
          }
      case "status" where value.count > Self.mostStatus_bytes:
        // Read no further: the designated initialiser says that it is too long.
        status = String(decoding: value, as: UTF8.self)
      default:
        guard let part = try? JSONDecoder().decode(JSONValue.self, from: Data(value)) else {
          throw Refusal.notJSON(value, under: key, else: "the body is not JSON")
        }
        // Anything but an object is no status document; it is not worth refusing the records for.
        if key == "status", case .object = part { status = String(decoding: value, as: UTF8.self) }
        if key != "status" { hasUnknownMembers = true }
      }
    }
    guard let records else { throw Refusal.badBody("the body has no array `location` or `geofence`") }
    self.init(device: device, schema: schema, batch: batch, records: records, status: status)
    self.hasUnknownMembers = hasUnknownMembers
  }

  /// Nil: it is a bad one, and the others count.
  static func record(
    else badRecord: (Refusal) throws -> Void, _ make: () throws -> UploadedRecord
  ) throws -> UploadedRecord? {
    do {
      return try make()
    } catch let refusal as Refusal where refusal.index != nil {
      try badRecord(refusal)
      return nil
    }
  }
}

extension Upload {
  /// `batch`, where it says "first-last" of just the numbers that its records have, so that a device can be told by it that
  /// all are stored. Nil where something else may have been sent with them, or where no agent has sent them.
  var numbers: String? {
    let sequences = records.compactMap(\.identity.sequence)
    guard !hasUnknownMembers, sequences.count == records.count, let first = sequences.min(),
      let last = sequences.max()
    else { return nil }
    return batch == "\(first)-\(last)" ? batch : nil
  }
}
