import Foundation
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

/// By what a line that stays open (``FleetFeed``) stays so.
enum Pass: Hashable, Sendable {
  /// By the hash of its secret, as long as it lasts.
  case session(Data)
  /// As long as nobody has an account.
  case noAccounts
  case always
}

/// Who makes a request.
struct Visitor: Equatable, Sendable {
  /// For the log of what was changed: an operator's name, or by what else he was let in.
  var name: String
  /// Nil: nothing but what is open to all.
  var role: Role?
  /// Where he came with a cookie: the answer to "has this page made the request?".
  var csrf: String?
  var pass = Pass.always

  static let nobody = Visitor(name: "nobody", role: nil)
  /// Where nothing is asked for at all.
  static let anyone = Visitor(name: "anyone", role: .admin, pass: .noAccounts)
  static let controlSocket = Visitor(name: "control socket", role: .admin)
  static let operatorToken = Visitor(name: "operator token", role: .admin)
  static let sharedToken = Visitor(name: "token file", role: .viewer, pass: .noAccounts)
}

/// A request on its way, and who has made it.
struct CollectorContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var visitor = Visitor.nobody
  /// From where the connection comes; nil for the control socket.
  var peer: PeerAddress?

  init(source: ApplicationRequestContextSource) {
    peer = PeerAddress(source.channel.remoteAddress)
    coreContext = CoreRequestContextStorage(source: source)
  }
}
