import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("The lines that are listened to")
struct LevelInputTests {
  private let folder = ScratchFolder()

  private func simulated(activeLow: Bool = false) throws -> SimulatedInput {
    try SimulatedInput(directory: folder.path, line: "ignition", activeLow: activeLow)
  }

  private func isReady(_ input: any LevelInput, within_ms: Int = 0) -> Bool {
    !Poller.wait([PollDescriptor(descriptor: input.descriptor)], timeout_ms: within_ms).isEmpty
  }

  /// Written in place, as a shell does it.
  private func write(_ text: String) {
    guard let file = fopen(folder.path + "/ignition", "w") else { return }
    fputs(text, file)
    fclose(file)
  }

  @Test(
    "a line that has no file yet gets one with an inactive level", arguments: [(false, "0"), (true, "1")])
  func made(activeLow: Bool, level: String) throws {
    let input = try simulated(activeLow: activeLow)
    #expect(contents(of: folder.path + "/ignition") == level)
    #expect(try input.receive() == [false])
  }

  @Test("a level that is there counts", arguments: [(false, true), (true, false)])
  func found(activeLow: Bool, level: Bool) throws {
    write("1\n")
    #expect(try simulated(activeLow: activeLow).receive() == [level])
    #expect(contents(of: folder.path + "/ignition") == "1\n")
  }

  @Test("inotify reports each change, and the descriptor rests in between")
  func changes() throws {
    let input = try simulated()
    #expect(try input.receive() == [false])
    #expect(!isReady(input))
    for level in [true, false, true] {
      write(level ? "1\n" : "0\n")
      #expect(isReady(input, within_ms: 100_000))
      #expect(try input.receive() == [level])
      #expect(!isReady(input))
    }
  }

  @Test("a file that is replaced, rewritten with the same level, or just empty is no edge of its own")
  func rewritten() throws {
    let input = try simulated()
    _ = try input.receive()
    write("0\n")
    #expect(isReady(input))
    #expect(try input.receive() == [])
    write("")
    #expect(isReady(input))
    #expect(try input.receive() == [])
    try StatusFile.write(folder.path + "/ignition", "1")
    #expect(isReady(input))
    #expect(try input.receive() == [true])
  }

  @Test("what is neither 0 nor 1, and a line without its file, are errors")
  func bad() throws {
    let input = try simulated()
    write("on")
    #expect(throws: GPIOError.badLevel(path: folder.path + "/ignition")) { try input.receive() }
    unlink(folder.path + "/ignition")
    let error = failure(GPIOError.self) { try input.receive() }
    #expect(
      error?.words(settings: "ignition") == """
        simulated GPIO line \(folder.path)/ignition: open: No such file or directory (errno 2). \
        The folder has to exist and be writable.
        """)
  }

  @Test("the settings choose the line, and an error names the settings that it comes from")
  func factory() {
    var settings = Settings().ignition
    settings.chip = "simulated:" + folder.path
    settings.line = "../ignition"
    let error = failure(GPIOError.self) { try LevelInputs.open(settings.input) }
    #expect(
      error?.words(settings: "ignition")
        == "\"../ignition\" cannot be the file name of a simulated line: set ignition.line to a plain name.")
    settings.line = "ignition"
    #expect(throws: Never.self) { try LevelInputs.open(settings.input) }
    settings.chip = "/dev/missing"
    #expect(
      failure(GPIOError.self) { try LevelInputs.open(settings.input) }
        == .chipFailed(path: "/dev/missing", call: "gpiod_chip_open", code: ENOENT))
  }

  @Test("a busy line names its holder and the setting")
  func busy() {
    let error = GPIOError.busy(line: "GPIO27", chip: "pinctrl-bcm2711", holder: "fan")
    #expect(
      error.words(settings: "vibration")
        == "GPIO line GPIO27 of pinctrl-bcm2711 is held by \"fan\". Stop that, or set vibration.line to the right line."
    )
  }
}
