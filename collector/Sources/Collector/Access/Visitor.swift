import Hummingbird

/// What somebody may do. Each may do what those before it may.
public enum Role: String, Codable, CaseIterable, Comparable, Sendable {
  /// Look at everything.
  case viewer
  /// Set, command and group devices.
  case `operator`
  /// Let devices and people in and out.
  case admin

  public static func < (one: Role, other: Role) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .viewer: 0
    case .operator: 1
    case .admin: 2
    }
  }
}

/// Who makes a request.
struct Visitor: Equatable, Sendable {
  /// For the log of what was changed: an operator's name, or by what else he was let in.
  var name: String
  /// Nil: nothing but what is open to all.
  var role: Role?
  /// Where he came with a cookie: the answer to "has this page made the request?".
  var csrf: String?

  static let nobody = Visitor(name: "nobody", role: nil)
  /// Where nothing is asked for at all.
  static let anyone = Visitor(name: "anyone", role: .admin)
  static let controlSocket = Visitor(name: "control socket", role: .admin)
  static let operatorToken = Visitor(name: "operator token", role: .admin)
  static let sharedToken = Visitor(name: "token file", role: .viewer)
}

/// A request on its way, and who has made it.
struct CollectorContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var visitor = Visitor.nobody

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}
