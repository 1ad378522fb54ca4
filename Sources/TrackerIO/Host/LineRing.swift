/// Lines that wait for whoever reads them, up to a bound. Beyond it the oldest are lost, counted, and reported in their
/// place once lines flow again. Pure: who writes is `TextOutput`.
struct LineRing {
  /// Some hundred lines: enough to see how it began, little beside the process.
  static let capacity_bytes = 65_536

  /// Since it was made.
  private(set) var lost = 0
  private var lines: [[UInt8]] = []
  private var bytes = 0
  /// Lost before the first of `lines`, and not yet reported.
  private var unreported = 0
  /// Of `unreported`, what the line on its way reports.
  private var reporting = 0
  /// What is left of the line that the reader has a part of.
  private var begun: ArraySlice<UInt8> = []

  var isEmpty: Bool { begun.isEmpty && lines.isEmpty && unreported == 0 }

  /// - Parameter line: with its line end. A longer one than all of the room is lost.
  mutating func append(_ line: [UInt8]) {
    lines.append(line)
    bytes += line.count
    while bytes > LineRing.capacity_bytes {
      bytes -= lines.removeFirst().count
      lose(1)
    }
  }

  /// What is to be written now; nil: nothing. - Parameter notice: the line that reports so many lost ones.
  mutating func next(notice: (Int) -> [UInt8]) -> ArraySlice<UInt8>? {
    if begun.isEmpty {
      if unreported > 0 {
        begun = notice(unreported)[...]
        (reporting, unreported) = (unreported, 0)
      } else if !lines.isEmpty {
        let line = lines.removeFirst()
        bytes -= line.count
        begun = line[...]
      }
    }
    return begun.isEmpty ? nil : begun
  }

  /// So many bytes of what `next` gave have been taken.
  mutating func wrote(_ count: Int) {
    begun = begun.dropFirst(count)
    if begun.isEmpty { reporting = 0 }
  }

  /// The reader is gone: all of it is lost.
  mutating func loseAll() {
    // The line that reports lost ones is none of them: those that it has not reported are reported of again.
    lose((begun.isEmpty || reporting > 0 ? 0 : 1) + lines.count)
    unreported += reporting
    (lines, bytes, begun, reporting) = ([], 0, [], 0)
  }

  private mutating func lose(_ count: Int) {
    lost += count
    unreported += count
  }
}
