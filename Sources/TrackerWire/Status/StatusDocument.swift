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
    return object(status).text
  }

  private static func object(_ group: any StatusGroup) -> JSONValue {
    .object(
      group.nodes.compactMap { node in
        switch node {
        case .figure(let figure): value(of: figure).map { JSONMember(key: figure.key, value: $0) }
        case .group(let group): value(of: group).map { JSONMember(key: group.key, value: $0) }
        }
      })
  }

  private static func value(of figure: any AnyFigure) -> JSONValue? {
    guard figure.kind == .time, case .integer(let time_ms)? = figure.content else { return figure.content }
    return .string(ISO8601.text(ms: time_ms))
  }

  private static func value(of group: any AnyFigureGroup) -> JSONValue? {
    let members = group.members
    return switch group.form {
    case .object: members.first.map { object($0) }
    case .list: members.isEmpty ? nil : .array(members.map { object($0) })
    case .byName: .object(members.map { JSONMember(key: $0.name, value: object($0)) })
    }
  }
}
