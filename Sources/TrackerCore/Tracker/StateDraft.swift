/// The machines' state while it is put together for a commit, as `SavedState` reads it.
struct StateDraft {
  private(set) var values: [String: String]
  /// Of the value that is written, and then of the next one: a commit has a dozen of them.
  private var words = StateWords()

  /// So many keys there are, or a few more.
  static let usualKeys = 28

  init() { values = Dictionary(minimumCapacity: StateDraft.usualKeys) }

  /// An empty value says as much as none.
  subscript(key: String) -> String {
    get { values[key] ?? "" }
    set { values[key] = newValue }
  }

  /// A value of several words.
  mutating func write(_ key: String, _ fill: (inout StateWords) -> Void) {
    fill(&words)
    values[key] = words.take()
  }
}

/// Words with a space between them, as ASCII. `String` makes one of each number first, and of each join another.
struct StateWords {
  private var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(160) }

  mutating func add(_ word: String) {
    space()
    bytes.append(contentsOf: word.utf8)
  }

  mutating func add(_ number: Int64) {
    space()
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    digits(of: number.magnitude, atLeast: 1)
  }

  /// With so many decimals, or as many as it has: 12.5, 12. - Parameter decimals: few, such as 3.
  mutating func add(_ number: Double, decimals: Int) {
    var parts: UInt64 = 1
    for _ in 0..<decimals { parts *= 10 }
    // Else it is infinite, no number, or larger than any sum of ours.
    guard let scaled = Int64(exactly: (number * Double(parts)).rounded()) else { return add("\(number)") }
    space()
    if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
    let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: parts)
    digits(of: whole, atLeast: 1)
    guard fraction > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    digits(of: fraction, atLeast: decimals)
    while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
  }

  /// To the centimetre, as `Resolution.position` has it.
  mutating func add(_ position: Position) {
    add(position.latitude_deg, decimals: 7)
    add(position.longitude_deg, decimals: 7)
  }

  /// What was written. It begins anew.
  mutating func take() -> String {
    defer { bytes.removeAll(keepingCapacity: true) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func space() {
    if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
  }

  private mutating func digits(of number: UInt64, atLeast least: Int) {
    // No UInt64 has more.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var (begin, rest) = (digits.endIndex, number)
      repeat {
        begin -= 1
        digits[begin] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0 || digits.endIndex - begin < least
      bytes.append(contentsOf: digits[begin...])
    }
  }
}
