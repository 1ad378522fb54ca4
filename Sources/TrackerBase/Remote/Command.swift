/// What a server, or an operator at the box, wants done once.
public enum Command: Equatable, Sendable {
  /// One good fix, for which the GPS is powered.
  case locate(timeout_ms: Int64)
  case sync
  case status
  /// `pause`, `resume` and `track_for`.
  case intent(IntentWish)
  /// The last lines of the agent's log.
  case report(lines: Int)
  /// The process ends in order; who supervises it starts it again.
  case restart
  case retryQuarantine

  public enum Name: String, CaseIterable, Sendable {
    case locate, sync, status
    case trackFor = "track_for"
    case pause, resume, report, restart
    case retryQuarantine = "quarantine_retry"
  }

  public static let locateTimeout_s: Int64 = 300
  public static let locateTimeouts_s: ClosedRange<Int64> = 10...900
  public static let reportLines = 50
  public static let mostReportLines = 100
  /// Of all lines of a report together.
  public static let mostReport_bytes = 8192

  /// To do it twice changes nothing, so it may be done without having been noted.
  package var isHarmless: Bool {
    switch self {
    case .locate, .sync, .status, .report: true
    case .intent, .restart, .retryQuarantine: false
    }
  }
}

/// A command as a server offers it, again and again until its result has arrived there.
public struct CommandOffer: Equatable, Sendable {
  public enum Wish: Equatable, Sendable {
    case command(Command)
    /// Why it is none that this version can do.
    case refused(String)
  }

  /// 1 to 64 ASCII letters, digits, `-`, `_`, `.` and `:`.
  public var id: String
  /// The name of a command that this version does not know.
  public static let unknown = "unknown"

  /// One of `Command.Name`, or `unknown`.
  public var name: String
  public var wish: Wish
  /// Unix milliseconds; nil: it never is too late.
  public var expires_ms: Int64?

  public init(id: String, name: String, wish: Wish, expires_ms: Int64? = nil) {
    (self.id, self.name, self.wish, self.expires_ms) = (id, name, wish, expires_ms)
  }

  public static let longestID = 64

  public static func isID(_ text: String) -> Bool {
    (1...longestID).contains(text.utf8.count) && SettingText.isPlain(text, and: "-_.:")
  }
}

/// All that a reply says of commands.
public struct CommandOffers: Equatable, Sendable {
  public var offers: [CommandOffer] = []
  /// Why others are refused that have no id to be named by; a few of them.
  public var unnamed: [String] = []
  public var unnamedCount = 0
  /// Beyond `most`: not looked at.
  public var beyond = 0

  /// Of one reply.
  public static let most = 16

  public init() {}

  public var isEmpty: Bool { offers.isEmpty && unnamedCount == 0 && beyond == 0 }

  public var count: Int { offers.count + unnamedCount + beyond }

  /// What came beside it.
  public mutating func add(_ more: CommandOffers) {
    offers += more.offers
    unnamed += more.unnamed.prefix(max(0, 4 - unnamed.count))
    unnamedCount += more.unnamedCount
    beyond += more.beyond
  }
}

/// What comes back of commands.
public enum CommandEvent: Equatable, Sendable {
  /// `.note` was performed. - Parameter problem: why it is not on storage, with the adapter's words.
  case noted(problem: String?)
  case reportRead(id: String, lines: [String])
  case quarantineRetried(id: String, records: Int, problem: String?)
  /// At the box. - Parameter request: for `.answer`.
  case locateAsked(request: Int, timeout_ms: Int64)
  /// `godwit doctor`: a record is to get to the server, and where none waits, one that says so.
  case testAsked
}

public enum CommandAction: Equatable, Sendable {
  /// `CommandInbox.saved` is to be on storage; `.noted` follows.
  case note(JSONValue)
  /// `.reportRead` follows.
  case readReport(id: String, lines: Int)
  /// `.quarantineRetried` follows.
  case retryQuarantine(id: String)
  /// To an operator at the box.
  case answer(request: Int, LocateAnswer)
  /// What came with the last reply of the first server is on storage, or done with: a broker may forget it.
  case confirm
}

/// What an operator at the box gets. The one answer with a place: it is what was asked for, and goes to no log.
public enum LocateAnswer: Equatable, Sendable {
  case fix(Fix)
  case none(String)
}

public enum CommandOutcome: String, FigureChoice {
  case running, done, refused, failed, expired
}
