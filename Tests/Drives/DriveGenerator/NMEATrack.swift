import TrackerLab

/// Recorded NMEA, cut into epochs where the time of RMC or GGA changes. Lines stay as they are.
enum NMEATrack {
  static func epochs(_ bytes: [UInt8], file: String) throws(TrackError) -> [PlayedEpoch] {
    var grouping = Grouping()
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      // Comments, as gpsd's own recordings have them at their head.
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      do throws(Malformed) {
        try grouping.add(line)
      } catch {
        throw TrackError(file: file, line: number, reason: error.reason)
      }
    }
    let epochs = grouping.finish()
    if !grouping.sawTime {
      throw TrackError(file: file, reason: "has no RMC or GGA sentence with a time and a right checksum")
    }
    return epochs
  }
}

private struct Malformed: Error { var reason: String }

/// The epochs so far, and the one that is being collected.
private struct Grouping {
  private(set) var sawTime = false
  private var epochs: [PlayedEpoch] = []
  private var lines: [UInt8] = []
  /// The time of day of the present epoch, nil before its first RMC or GGA that has one.
  private var clock_ms: Int?
  private var types: Set<String> = []
  private var fix: TrackPosition?
  /// Midnight of the last RMC's date, and whether it came in this epoch.
  private var date_ms: Int64?
  private var hasOwnDate = false
  private var lastClock_ms = 0

  /// Adds one line of the file, without its line feed.
  mutating func add(_ line: ArraySlice<UInt8>) throws(Malformed) {
    if let sentence = NMEASentence(line), sentence.type == "RMC" || sentence.type == "GGA" {
      do throws(Malformed) {
        try take(sentence)
      } catch {
        // A torn line is part of life on a serial line, and passes as it is.
        if sentence.isChecked { throw error }
      }
    }
    lines += line
    lines.append(UInt8(ascii: "\n"))
  }

  mutating func finish() -> [PlayedEpoch] {
    closeEpoch()
    return epochs
  }

  private mutating func take(_ sentence: NMEASentence) throws(Malformed) {
    let time = sentence.field(1)
    let time_ms = NMEASentence.clock_ms(time)
    guard time.isEmpty || time_ms != nil else {
      throw Malformed(reason: "\(sentence.type): the time is not hhmmss or hhmmss.sss")
    }
    // Before it knows the time a module repeats the same sentences with an empty time: each round is an epoch.
    let isNextRound = time.isEmpty && types.contains(sentence.type)
    if !types.isEmpty, clock_ms != time_ms || isNextRound { closeEpoch() }
    clock_ms = time_ms
    types.insert(sentence.type)
    sawTime = sawTime || !time.isEmpty
    if sentence.type == "RMC" { try takeRMC(sentence) } else { try takeGGA(sentence) }
  }

  private mutating func takeRMC(_ sentence: NMEASentence) throws(Malformed) {
    let date = sentence.field(9)
    if !date.isEmpty {
      guard let midnight_ms = NMEASentence.date_ms(date) else {
        throw Malformed(reason: "RMC: the date is not ddmmyy")
      }
      date_ms = midnight_ms
      hasOwnDate = true
    }
    guard sentence.field(2) == "A" else { return }
    var position = try position(in: sentence, from: 3)
    position.altitude_m = fix?.altitude_m
    position.speed_mps = Double(sentence.field(7)).map { $0 / NMEA.knotsPerMps }
    position.course_deg = Double(sentence.field(8))
    fix = position
  }

  private mutating func takeGGA(_ sentence: NMEASentence) throws(Malformed) {
    guard let quality = digits(sentence.field(6)), quality > 0 else { return }
    let position = try position(in: sentence, from: 2)
    if fix == nil { fix = position }
    fix?.altitude_m = Double(sentence.field(9))
  }

  private func position(in sentence: NMEASentence, from index: Int) throws(Malformed) -> TrackPosition {
    guard
      let latitude_deg = NMEASentence.angle_deg(sentence.field(index), sentence.field(index + 1), limit: 90),
      let longitude_deg = NMEASentence.angle_deg(
        sentence.field(index + 2), sentence.field(index + 3), limit: 180)
    else {
      throw Malformed(reason: "\(sentence.type): says it has a fix, but its position is malformed")
    }
    return TrackPosition(latitude_deg: latitude_deg, longitude_deg: longitude_deg)
  }

  private mutating func closeEpoch() {
    guard !lines.isEmpty else { return }
    epochs.append(PlayedEpoch(time_ms: time_ms(), fix: fix, recorded: lines))
    (lines, types, fix, clock_ms, hasOwnDate) = ([], [], nil, nil, false)
  }

  /// Date and time of the epoch. One without an RMC has the last date, or the day after it past midnight.
  private mutating func time_ms() -> Int64? {
    guard let clock_ms, var midnight_ms = date_ms else { return nil }
    if !hasOwnDate, lastClock_ms - clock_ms > 43_200_000 {
      midnight_ms += UTCTime.day_ms
      date_ms = midnight_ms
    }
    lastClock_ms = clock_ms
    return midnight_ms + Int64(clock_ms)
  }
}
