import Foundation

/// One request of a device: its records in order, and its status document if it sent one.
struct Upload {
  var device: String
  /// The payload's format as the device names it, such as `geomony/1`.
  var schema: String?
  var batch: String?
  var records: [UploadedRecord]
  /// The text of a JSON object.
  var status: String?

  init(
    device: String, schema: String? = nil, batch: String? = nil, records: [UploadedRecord],
    status: String? = nil
  ) {
    self.device = device
    self.schema = schema
    self.batch = batch
    self.records = records
    self.status = status
  }

  /// Reads the body `{"location":[…],"status":{…}}`. Other members are allowed. Throws a ``Refusal``.
  init(device: String, schema: String?, batch: String?, body: [UInt8]) throws {
    guard String(validating: body, as: UTF8.self) != nil, let members = JSONSlices.members(body[...]) else {
      throw Refusal.badBody("the body is not a JSON object")
    }
    var slices: [JSONSlices.Slice]?
    var status: String?
    for (key, value) in members {
      if key == "location" {
        slices = JSONSlices.elements(value)
      } else {
        guard let part = try? JSONDecoder().decode(JSONValue.self, from: Data(value)) else {
          throw Refusal.badBody("the body is not JSON")
        }
        // Anything but an object is no status document; it is not worth refusing the records for.
        if key == "status", case .object = part { status = String(decoding: value, as: UTF8.self) }
      }
    }
    guard let slices else { throw Refusal.badBody("the body has no array `location`") }
    let records = try slices.enumerated().map { try UploadedRecord($1, index: $0) }
    self.init(device: device, schema: schema, batch: batch, records: records, status: status)
  }
}
