import TrackerWire

/// What came of one thing that the doctor looked at.
struct Finding: Equatable {
  enum Outcome: String, CaseIterable {
    case pass, fail
    case notTried = "not_tried"
  }

  /// Stable, for scripts: docs/commands.md lists them.
  enum Subject: String, CaseIterable {
    case settings, clock, gpsd, power, antenna, fix, ignition, vibration, modem, server, record, identity,
      queue, card, sleep
  }

  var subject: Subject
  var outcome: Outcome
  /// What was seen. No place, no token.
  var words: String
  /// What to do about it; empty where nothing is to be done.
  var advice = ""

  static func pass(_ subject: Subject, _ words: String) -> Finding {
    Finding(subject: subject, outcome: .pass, words: words)
  }

  static func fail(_ subject: Subject, _ words: String, _ advice: String) -> Finding {
    Finding(subject: subject, outcome: .fail, words: words, advice: advice)
  }

  /// Words and advice as `godwit check` has them, with a colon between.
  static func fail(_ subject: Subject, _ words: String) -> Finding {
    guard let colon = words.firstRange(of: ": ") else { return fail(subject, words, "") }
    return fail(subject, String(words[..<colon.lowerBound]), String(words[colon.upperBound...]))
  }

  static func notTried(_ subject: Subject, _ words: String) -> Finding {
    Finding(subject: subject, outcome: .notTried, words: words)
  }
}

/// All findings, as people, scripts and cameras get them.
struct DoctorReport {
  var device: String
  var version: String
  var time_ms: Int64
  var findings: [Finding]

  private static let (titleWidth, columns) = (17, 80)

  var isFine: Bool { !findings.contains { $0.outcome == .fail } }

  private func count(_ outcome: Finding.Outcome) -> Int { findings.count { $0.outcome == outcome } }

  var sum: String {
    "\(count(.pass)) fine, \(count(.fail)) failed, \(count(.notTried)) not tried"
  }

  var head: String { "godwit doctor, \(device), godwit \(version), \(ISO8601.text(ms: time_ms))" }

  /// A finding under its title, with what to do below it.
  static func lines(of finding: Finding) -> [String] {
    let mark =
      switch finding.outcome {
      case .pass: "ok    "
      case .fail: "FAIL  "
      case .notTried: "-     "
      }
    let room = columns - titleWidth
    let subject = finding.subject.rawValue
    let title = mark + subject + String(repeating: " ", count: titleWidth - mark.count - subject.count)
    let below = String(repeating: " ", count: titleWidth)
    let words = wrapped(finding.words, room)
    let advice = finding.advice.isEmpty ? [] : wrapped("-> " + finding.advice, room)
    return (words + advice).enumerated().map { ($0 == 0 ? title : below) + $1 }
  }

  private static func wrapped(_ text: String, _ width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  var json: String {
    JSONWriter.object { json in
      json.member("schema", "godwit-doctor/1")
      json.member("device", device)
      json.member("version", version)
      json.member("time", ISO8601.text(ms: time_ms))
      json.member("result", isFine ? "pass" : "fail")
      json.key("findings")
      json.beginArray()
      for finding in findings {
        json.beginObject()
        json.member("subject", finding.subject.rawValue)
        json.member("outcome", finding.outcome.rawValue)
        json.member("words", finding.words)
        if !finding.advice.isEmpty { json.member("advice", finding.advice) }
        json.endObject()
      }
      json.endArray()
    }
  }

  /// Short enough for a code that a telephone reads from a terminal.
  var code: String {
    func names(_ outcome: Finding.Outcome) -> String {
      let names = findings.filter { $0.outcome == outcome }.map(\.subject.rawValue)
      return names.isEmpty ? "none" : names.joined(separator: ",")
    }
    return "godwit-doctor/1 \(device) \(ISO8601.text(ms: time_ms).prefix(16))Z godwit \(version) "
      + "FAIL \(names(.fail)) OK \(names(.pass)) NOT-TRIED \(names(.notTried))"
  }
}
