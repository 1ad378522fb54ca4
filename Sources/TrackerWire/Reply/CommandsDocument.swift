import TrackerBase

/// `commands` of a reply: `[{"id": "c-1", "command": "track_for", "seconds": 600, "expires": "2026-03-02T10:00:00Z"}]`
/// (docs/remote.md). It may be anything, from anyone: what is wrong with it is said in words that hold no value of it.
enum CommandsDocument {
  /// - Parameter value: the member; nil where there is none.
  static func offers(_ value: JSONValue?) -> CommandOffers {
    var offers = CommandOffers()
    guard let value else { return offers }
    guard let list = value.array else {
      offers.refuse("\"commands\" is no array")
      return offers
    }
    offers.beyond = max(0, list.count - CommandOffers.most)
    for element in list.prefix(CommandOffers.most) {
      guard case .object(let members) = element else {
        offers.refuse("it is no JSON object")
        continue
      }
      guard let id = element["id"]?.string, CommandOffer.isID(id) else {
        offers.refuse(
          "its \"id\" must be text of 1 to \(CommandOffer.longestID) ASCII letters, digits, - _ . and :")
        continue
      }
      offers.offers.append(offer(id, element, members))
    }
    return offers
  }

  private static func offer(_ id: String, _ value: JSONValue, _ members: [JSONMember]) -> CommandOffer {
    guard let text = value["command"]?.string, let name = Command.Name(rawValue: text) else {
      let known = Command.Name.allCases.map(\.rawValue).joined(separator: ", ")
      return CommandOffer(
        id: id, name: CommandOffer.unknown, wish: .refused("this version knows no such command, but \(known)")
      )
    }
    var offer = CommandOffer(id: id, name: name.rawValue, wish: .refused(""))
    do throws(Mistake) {
      try check(members, of: name)
      offer.expires_ms = try expiry(value["expires"])
      offer.wish = .command(try command(name, value))
    } catch {
      offer.wish = .refused(error.words)
    }
    return offer
  }

  private struct Mistake: Error {
    var words: String
  }

  private static func argument(of name: Command.Name) -> String? {
    switch name {
    case .locate: "timeout_s"
    case .trackFor, .pause: "seconds"
    case .report: "lines"
    case .sync, .status, .resume, .restart, .retryQuarantine: nil
    }
  }

  /// One that is misspelt must not make a pause of an hour one without an end.
  private static func check(_ members: [JSONMember], of name: Command.Name) throws(Mistake) {
    let argument = argument(of: name)
    let known = ["id", "command", "expires"] + (argument.map { [$0] } ?? [])
    let keys = members.map(\.key)
    guard keys.allSatisfy(known.contains) else {
      let has = argument.map { "it knows \($0)" } ?? "it needs none"
      throw Mistake(words: "it has an argument that \(name.rawValue) does not know; \(has)")
    }
    guard Set(keys).count == keys.count else { throw Mistake(words: "a member of it is there twice") }
  }

  private static func expiry(_ value: JSONValue?) throws(Mistake) -> Int64? {
    guard let value else { return nil }
    guard let time_ms = value.string.flatMap(ISO8601.unix_ms) else {
      throw Mistake(words: "expires must be a date and time such as 2026-03-02T10:00:00Z")
    }
    return time_ms
  }

  private static func command(_ name: Command.Name, _ value: JSONValue) throws(Mistake) -> Command {
    switch name {
    case .locate:
      let timeout_s = try whole("timeout_s", value, in: Command.locateTimeouts_s)
      return .locate(timeout_ms: (timeout_s ?? Command.locateTimeout_s) * 1000)
    case .sync: return .sync
    case .status: return .status
    case .trackFor:
      guard let seconds = try whole("seconds", value, in: lengths_s) else {
        throw Mistake(words: "track_for needs seconds, a whole number of \(words(lengths_s))")
      }
      return .intent(.track(length_ms: seconds * 1000))
    case .pause:
      return .intent(.pause(length_ms: try whole("seconds", value, in: lengths_s).map { $0 * 1000 }))
    case .resume: return .intent(.resume)
    case .report:
      let lines = try whole("lines", value, in: 1...Int64(Command.mostReportLines))
      return .report(lines: lines.map(Int.init) ?? Command.reportLines)
    case .restart: return .restart
    case .retryQuarantine: return .retryQuarantine
    }
  }

  private static let lengths_s = 1...IntentWish.longest_ms / 1000

  private static func words(_ range: ClosedRange<Int64>) -> String {
    "\(range.lowerBound) to \(range.upperBound)"
  }

  /// nil where it is left out.
  private static func whole(
    _ key: String, _ value: JSONValue, in range: ClosedRange<Int64>
  ) throws(Mistake) -> Int64? {
    guard let value = value[key] else { return nil }
    guard let number = value.whole, range.contains(number) else {
      throw Mistake(words: "\(key) must be a whole number of \(words(range))")
    }
    return number
  }
}

extension CommandOffers {
  /// Of those that have no name, a few reasons are enough.
  fileprivate mutating func refuse(_ words: String) {
    unnamedCount += 1
    if unnamed.count < 4, !unnamed.contains(words) { unnamed.append(words) }
  }
}
