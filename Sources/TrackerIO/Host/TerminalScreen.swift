import Glibc

/// A terminal that shows one screen again and again, and has its own back afterwards, whatever ends that.
///
/// For a command with one thread: the signals that end it wait until `pause`.
public struct TerminalScreen {
  public enum Interruption: Equatable {
    case timeUp
    /// Another size: to be drawn anew.
    case resized
  }

  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH]
  private let isColoured: Bool

  /// nil where standard output is no terminal, or one that knows no commands: nothing is to be restored there.
  public init?() {
    guard isatty(STDOUT_FILENO) == 1, let terminal = TerminalScreen.variable("TERM"), terminal != "dumb"
    else {
      return nil
    }
    // https://no-color.org: present and not empty.
    isColoured = TerminalScreen.variable("NO_COLOR") == nil
    // A change of the size is ignored unless it is asked for, and then would not end a wait.
    signal(SIGWINCH) { _ in }
    var set = TerminalScreen.set
    sigprocmask(SIG_BLOCK, &set, nil)
    enter()
  }

  /// As the terminal has it now.
  public var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  public enum Colour: String {
    case none = ""
    case red = "\u{1B}[31m"
    case faint = "\u{1B}[2m"
  }

  /// In place of what is shown: no line longer than the columns, no more of them than rows.
  public func show(_ lines: [(text: String, colour: Colour)]) {
    var text = "\u{1B}[H"
    for (index, line) in lines.enumerated() {
      let isPlain = !isColoured || line.colour == .none
      text += isPlain ? line.text : line.colour.rawValue + line.text + "\u{1B}[0m"
      // No line end after the last: the screen would roll.
      text += "\u{1B}[K" + (index < lines.count - 1 ? "\r\n" : "")
    }
    write(text + "\u{1B}[J")
  }

  /// Does not come back where a signal ends the process: the terminal has its own screen again then.
  public func pause(_ seconds: Double) -> Interruption {
    var time = timespec(
      tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1_000_000_000))
    var set = TerminalScreen.set
    let number = sigtimedwait(&set, nil, &time)
    switch number {
    case SIGWINCH: return .resized
    case SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP:
      leave()
      obey(number)
      enter()
      return .resized
    default: return .timeUp
    }
  }

  /// The terminal has its own screen again.
  public func leave() { write("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l") }

  /// The other screen, without a cursor.
  private func enter() { write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J") }

  /// What the signal does by itself; comes back from a stop (Ctrl-Z) alone.
  private func obey(_ number: Int32) {
    var only = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, number)
    signal(number, SIG_DFL)
    raise(number)
    sigprocmask(SIG_UNBLOCK, &only, nil)
    sigprocmask(SIG_BLOCK, &only, nil)
  }

  private func write(_ text: String) { _ = writeAll(text.utf8, to: STDOUT_FILENO) }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in signals { sigaddset(&set, number) }
    return set
  }

  /// nil for an empty one.
  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    return value.pointee == 0 ? nil : String(cString: value)
  }
}
