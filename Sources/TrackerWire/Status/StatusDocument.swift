import TrackerBase

/// The status of one device as JSON: what `status.json` holds, `godwit status` shows and a sync carries.
///
/// Its figures are declared in `TrackerStatus` and its groups; docs/status.md has them. Keys are only ever added.
public enum StatusDocument {
  public typealias Identity = IdentityStatus

  /// - Parameter identity: what the process knows beside the tracker.
  public static func json(_ status: TrackerStatus, identity: Identity) -> String {
    var status = status
    status.identity = identity
    var writer = StatusWriter()
    writer.write(status)
    return writer.json.text
  }
}

private struct StatusWriter: StatusVisitor {
  var json = JSONWriter(reservingCapacity: 1600)

  mutating func write(_ group: some StatusGroup) {
    json.beginObject()
    group.visit(with: &self)
    json.endObject()
  }

  mutating func visit<Value>(_ figure: Figure<Value>) {
    guard let content = figure.content else { return }
    json.key(figure.key.description)
    write(content, isTime: figure.kind == .time)
  }

  mutating func visit<Value>(_ group: FigureGroup<Value>) {
    let members = group.wrappedValue.members
    if members.isEmpty, !group.form.isShownEmpty { return }
    json.key(group.key.description)
    switch group.form {
    case .object: for only in members { write(only) }
    case .list:
      json.beginArray()
      for member in members { write(member) }
      json.endArray()
    case .byName:
      json.beginObject()
      for member in members {
        json.key(member.name)
        write(member)
      }
      json.endObject()
    }
  }

  private mutating func write(_ content: FigureContent, isTime: Bool) {
    switch content {
    case .integer(let time_ms) where isTime: json.string(ISO8601.text(ms: time_ms))
    case .integer(let number): json.integer(number)
    case .number(let number): json.number(number)
    case .flag(let flag): json.bool(flag)
    case .text(let text): json.string(text)
    case .texts(let texts):
      json.beginArray()
      for text in texts { json.string(text) }
      json.endArray()
    case .table(let entries):
      json.beginObject()
      for entry in entries {
        json.key(entry.name)
        write(entry.content, isTime: isTime)
      }
      json.endObject()
    }
  }
}
