import CSimdjson
import Foundation

/// One record of a request, checked.
///
/// What the server lives by (uuid, time, place) must be right; the rest is taken when it has the expected
/// type and is kept as sent in `json` in any case.
struct UploadedRecord: Equatable, Sendable {
  /// As sent, for the acknowledgement.
  let id: String
  /// In the canonical, lower-case form.
  let uuid: String
  let identity: RecordIdentity
  let time_ms: Int64
  let latitude: Double
  let longitude: Double
  let fields: RecordFields
  /// The record's own text.
  let json: String

  /// The device trusted the time.
  var isDated: Bool { !(fields.extras ?? "").contains(RecordContent.undated) }

  /// (0, 0) stands for no position, here and in what some devices send; no vehicle is there.
  var hasPosition: Bool { latitude != 0 || longitude != 0 }

  /// An element of `location`. Throws a ``Refusal`` that names the record by its place in the request.
  ///
  /// - Parameter fields: what the element holds, if it has been read.
  init(_ slice: JSONSlices.Slice, _ fields: RecordFields?, index: Int) throws {
    try self.init(slice, checking: fields ?? Self.decode(slice, index: index), index: index)
  }

  /// An element of `geofence`. Its extras become those of Godwit's geofence records, so that both are read alike.
  /// The original client sends no id: then one is made of the element's text, and it is stored once all the same.
  init(geofence slice: JSONSlices.Slice, _ fields: RecordFields?, index: Int) throws {
    var fields = try fields ?? Self.decode(slice, index: index)
    let members = JSONSlices.members(slice) ?? []
    func text(of key: String) throws -> String {
      guard let value = members.first(where: { $0.key == key })?.value, value.first == UInt8(ascii: "\"")
      else {
        throw Refusal.badRecord("the geofence event has no \(key)", index: index, uuid: fields.uuid)
      }
      return String(decoding: value, as: UTF8.self)
    }
    var extras = "{\"action\":\(try text(of: "action")),\"geofence\":\(try text(of: "identifier"))"
    if let value = members.first(where: { $0.key == "extras" })?.value {
      extras += ",\"extras\":" + String(decoding: value, as: UTF8.self)
    }
    if members.contains(where: { $0.key == "clock" }) { extras += "," + RecordContent.undated }
    (fields.event, fields.extras) = ("geofence", extras + "}")
    fields.uuid = fields.uuid ?? NameBasedUUID.text(slice)
    try self.init(slice, checking: fields, index: index)
  }

  private init(_ slice: JSONSlices.Slice, checking fields: RecordFields, index: Int) throws {
    func bad(_ reason: String) -> Refusal { .badRecord(reason, index: index, uuid: fields.uuid) }

    guard let id = fields.uuid else { throw bad("the record has no uuid") }
    guard let uuid = UUID(uuidString: id) else { throw bad("the uuid is not a UUID") }
    guard let timestamp = fields.timestamp else { throw bad("the record has no timestamp") }
    guard let time_ms = Timestamp.milliseconds(timestamp) else {
      throw bad("the timestamp is not an RFC 3339 date and time")
    }
    self.id = id
    self.uuid = uuid.uuidString.lowercased()
    self.identity = RecordIdentity(uuid)
    self.time_ms = time_ms
    (latitude, longitude) = try Self.place(fields, index: index)
    self.fields = fields
    self.json = String(decoding: slice, as: UTF8.self)
  }

  /// One whose id and time need not be read from text. Throws a ``Refusal``.
  ///
  /// - Parameter uuid: in the canonical, lower-case form.
  init(
    _ uuid: String, _ identity: RecordIdentity, time_ms: Int64, _ fields: RecordFields, json: String,
    index: Int
  ) throws {
    (id, self.uuid, self.identity, self.time_ms) = (uuid, uuid, identity, time_ms)
    (latitude, longitude) = try Self.place(fields, index: index)
    (self.fields, self.json) = (fields, json)
  }

  private static func place(
    _ fields: RecordFields, index: Int
  ) throws -> (latitude: Double, longitude: Double) {
    func bad(_ reason: String) -> Refusal { .badRecord(reason, index: index, uuid: fields.uuid) }

    let place = fields.isEventWithoutPlace ? (0, 0) : (fields.latitude, fields.longitude)
    guard let latitude = place.0, (-90...90).contains(latitude) else {
      throw bad("the latitude is missing or not between -90 and 90")
    }
    guard let longitude = place.1, (-180...180).contains(longitude) else {
      throw bad("the longitude is missing or not between -180 and 180")
    }
    return (latitude, longitude)
  }

  private static func decode(_ slice: JSONSlices.Slice, index: Int) throws -> RecordFields {
    do {
      return try JSONDecoder().decode(RecordFields.self, from: Data(slice))
    } catch DecodingError.typeMismatch {
      throw Refusal.badRecord("the record is not a JSON object", index: index, uuid: nil)
    } catch {
      throw Refusal.badBody("the body is not JSON")
    }
  }
}

/// The fields of a record that have a column; nil where they are absent, of another type, or -1 (the
/// format's word for "not measured").
struct RecordFields: Equatable, Sendable {
  var uuid: String?
  var timestamp: String?
  var latitude: Double?
  var longitude: Double?
  var altitude_m: Double?
  var altitudeAccuracy_m: Double?
  var accuracy_m: Double?
  var speed_mps: Double?
  var speedAccuracy_mps: Double?
  var heading_deg: Double?
  var headingAccuracy_deg: Double?
  var isMoving: Bool?
  var event: String?
  var extras: String?

  /// An event of a device that has not had a fix yet: both are null.
  var isEventWithoutPlace: Bool { latitude == nil && longitude == nil && !(event ?? "").isEmpty }
}

extension RecordFields {
  /// Of each element of an array, in one go: at a twentieth of what a decoder takes. Nil where simdjson cannot read one of
  /// them; a decoder may, since it looks at nothing but these fields.
  ///
  /// - Parameter count: of its elements.
  static func all(in array: JSONSlices.Slice, count: Int) -> [RecordFields]? {
    guard let read = array.withUnsafeBufferPointer({ collector_json_records_open($0.baseAddress, $0.count) })
    else { return nil }
    defer { collector_json_records_close(read) }
    let records = UnsafeBufferPointer(
      start: collector_json_records_first(read), count: collector_json_records_count(read))
    return records.count == count ? records.map(RecordFields.init) : nil
  }

  private init(_ read: collector_json_record) {
    func text(_ text: collector_json_text) -> String? {
      text.bytes.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: text.size), as: UTF8.self) }
    }
    func number(_ value: Double) -> Double? { value.isNaN ? nil : value }
    func measured(_ value: Double) -> Double? { value == -1 ? nil : number(value) }

    uuid = text(read.uuid)
    timestamp = text(read.timestamp)
    latitude = number(read.latitude)
    longitude = number(read.longitude)
    altitude_m = number(read.altitude)
    altitudeAccuracy_m = measured(read.altitude_accuracy)
    accuracy_m = measured(read.accuracy)
    speed_mps = measured(read.speed)
    speedAccuracy_mps = measured(read.speed_accuracy)
    heading_deg = measured(read.heading)
    headingAccuracy_deg = measured(read.heading_accuracy)
    isMoving = read.is_moving < 0 ? nil : read.is_moving == 1
    event = text(read.event)
    extras = text(read.extras)
  }
}

extension RecordFields: Decodable {
  enum CodingKeys: String, CodingKey {
    case uuid, timestamp, latitude, longitude, altitude, accuracy, speed, heading, event, extras
    case altitude_accuracy, speed_accuracy, heading_accuracy, is_moving
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) -> String? { try? container.decode(String.self, forKey: key) }
    func number(_ key: CodingKeys) -> Double? { try? container.decode(Double.self, forKey: key) }
    func measured(_ key: CodingKeys) -> Double? { number(key).flatMap { $0 == -1 ? nil : $0 } }

    uuid = text(.uuid)
    timestamp = text(.timestamp)
    latitude = number(.latitude)
    longitude = number(.longitude)
    altitude_m = number(.altitude)
    altitudeAccuracy_m = measured(.altitude_accuracy)
    accuracy_m = measured(.accuracy)
    speed_mps = measured(.speed)
    speedAccuracy_mps = measured(.speed_accuracy)
    heading_deg = measured(.heading)
    headingAccuracy_deg = measured(.heading_accuracy)
    isMoving = try? container.decode(Bool.self, forKey: .is_moving)
    event = text(.event)
    extras = text(.extras)
  }
}
