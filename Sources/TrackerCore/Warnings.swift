import TrackerBase

/// What went wrong, by name, with how often and when last. Names are stable: servers and people rely on them.
public struct Warnings: Equatable, Sendable {
  /// On the boot clock.
  public enum Course: Equatable, Sendable {
    /// It reported a moment.
    case moment
    case lasting(since_ms: Int64)
    case over(since_ms: Int64, until_ms: Int64)
  }

  public struct Entry: Equatable, Sendable {
    public var count: Int
    /// Boot time: a date comes of it when it is asked for, by what is known of the time then.
    public var lastAt_ms: Int64
    /// Of what it reported last.
    public var course = Course.moment
  }

  public private(set) var entries: [WarningName: Entry] = [:]
  /// Those that may last: reported since they were last looked at, or lasting then.
  private(set) var open: Set<WarningName> = []

  /// What the log has of one that lasts.
  private struct Line: Equatable, Sendable {
    var at_ms: Int64
    var unsaid = 0
  }

  /// By their texts without quantities: pauses grow, and what comes by turns says nothing new either.
  private var lines: [WarningName: [String: Line]] = [:]
  private static let mostTexts = 8
  /// When a status was last wanted because of it.
  private var sentAt_ms: [WarningName: Int64] = [:]
  private static let statusInterval_ms: Int64 = 86_400_000

  /// What is tried every few seconds, for days, must neither fill the log nor wear the card.
  static let lineInterval_ms: Int64 = 3_600_000

  /// What lasts makes a request when it begins, and then once a day. - Returns: whether it should, now that it came.
  mutating func wantsStatus(_ name: WarningName, at boot_ms: Int64) -> Bool {
    if case .lasting = entries[name]?.course, let at_ms = sentAt_ms[name],
      boot_ms - at_ms < Warnings.statusInterval_ms
    {
      return false
    }
    sentAt_ms[name] = boot_ms
    return true
  }

  /// - Returns: what the log is to say; nil where it has said the same, which lasts, within the hour.
  mutating func line(_ name: WarningName, _ text: String, at boot_ms: Int64) -> String? {
    let key = Warnings.withoutQuantities(text)
    let known = lines[name]?[key]
    // Who has the settings read anew wants an answer each time.
    if let known, name != .settings, case .lasting = entries[name]?.course,
      boot_ms - known.at_ms < Warnings.lineInterval_ms
    {
      lines[name]?[key]?.unsaid += 1
      return nil
    }
    if (lines[name]?.count ?? 0) >= Warnings.mostTexts { lines[name] = [:] }
    lines[name, default: [:]][key] = Line(at_ms: boot_ms)
    guard let unsaid = known?.unsaid, unsaid > 0 else { return text }
    return "\(text) (and \(counted(unsaid, "time")) more since this was last said)"
  }

  /// Numbers go but for those of three digits that end a part of the sentence: a server's 503 is another matter than its
  /// 404, and there are not many of these.
  static func withoutQuantities(_ text: String) -> String {
    var kept = "", digits = ""
    for character in text + " " {
      if character.isNumber {
        digits.append(character)
        continue
      }
      let isCode = digits.count == 3 && kept.last == " " && (character == ":" || character == ";")
      if isCode { kept += digits }
      digits = ""
      kept.append(character)
    }
    return kept
  }

  mutating func count(_ name: WarningName, at boot_ms: Int64, times: Int = 1) {
    let old = entries[name]
    let course = old?.course ?? .moment
    entries[name] = Entry(count: (old?.count ?? 0) + times, lastAt_ms: boot_ms, course: course)
    open.insert(name)
  }

  /// What one of `open` reported goes on, or does not.
  mutating func look(at name: WarningName, lasts: Bool, at boot_ms: Int64) {
    guard let entry = entries[name] else { return }
    switch (entry.course, lasts) {
    case (.lasting, true): break
    case (.moment, true), (.over, true): entries[name]?.course = .lasting(since_ms: entry.lastAt_ms)
    case (.lasting(let since_ms), false):
      entries[name]?.course = .over(since_ms: since_ms, until_ms: boot_ms)
    case (.over, false): entries[name]?.course = .moment
    case (.moment, false): break
    }
    if !lasts {
      open.remove(name)
      lines[name] = nil
    }
  }
}
