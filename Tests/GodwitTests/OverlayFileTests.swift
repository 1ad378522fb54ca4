import Glibc
import Testing
import TrackerIO
import TrackerWire

@testable import TrackerBase
@testable import TrackerRemote
@testable import godwit

/// The server's settings over power cuts, on a real file system.
@Suite("The server's settings in the state file")
struct OverlayFileTests {
  let folder = QueueFolder()
  private var name: String { "queue.db.state" }
  private var path: String { folder.queue + ".state" }
  private var file: OverlayFile { OverlayFile(queuePath: folder.queue) }

  private func overlay(_ version: Int64) -> Overlay {
    Overlay(
      version: version,
      settings: [
        SettingEntry(
          path: ["motion", "stop_timeout_s"], value: .integer(100 + version),
          place: SettingPlace(line: 0, column: 0))
      ])
  }

  @Test("holds what was written, for its owner alone; where there is none nothing was set")
  func holds() throws {
    #expect(try file.read() == OverlayState())
    let state = OverlayState(kept: overlay(7), refused: .init(version: 8, reason: "no"))
    try file.write(state)
    #expect(try file.read() == state)
    var info = stat()
    #expect(stat(path, &info) == 0 && info.st_mode & 0o777 == 0o600)
  }

  @Test("one that is damaged sets nothing, and says so", arguments: 0..<40)
  func damaged(place: Int) throws {
    try file.write(OverlayState(kept: overlay(7)))
    var bytes = try OutsideFile.read(path, limit_bytes: 10_000)
    // In the line of the settings, which is the last.
    let begin = bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")) ?? 0
    bytes[begin + (bytes.count - begin) * place / 40] ^= 1
    folder.write(bytes, to: name)
    let found = file.begin(bootID: "b", at: 0)
    #expect(found.state == OverlayState())
    #expect(found.problem == "\(path) is damaged, or another program's")
  }

  @Test("a trial whose start cannot be noted is not used")
  func notNoted() throws {
    try file.write(
      OverlayState(kept: overlay(6), trial: .init(overlay: overlay(7), bootID: "b", began_ms: 0)))
    // Where the new text is to be made.
    unlink(path + ".next")
    mkdir(path + ".next", 0o755)
    folder.write([1], to: name + ".next/in-the-way")
    defer {
      unlink(path + ".next/in-the-way")
      rmdir(path + ".next")
    }
    let found = file.begin(bootID: "b", at: 10)
    #expect(found.state.wanted?.version == 6)
    #expect(found.problem?.hasPrefix("the trial that goes on cannot be noted: ") == true)
  }

  // MARK: power cuts

  /// A process with the machine and the real file: from one power cut to the next.
  private final class Box {
    let folder: QueueFolder
    let bootID: String
    var now_ms: Int64 = 0
    var machine: OverlayMachine
    var texts: [String] = []

    init(_ folder: QueueFolder, boot: Int) {
      self.folder = folder
      bootID = "boot-\(boot)"
      let found = OverlayFile(queuePath: folder.queue).begin(bootID: bootID, at: 0)
      #expect(found.problem == nil)
      let use = OverlayUse(version: found.state.wanted?.version)
      machine = OverlayMachine(found.state, use: use, bootID: bootID, trial_s: 600)
      perform(machine.started(at: 0))
    }

    func perform(_ wants: [Want]) {
      for want in wants {
        switch want {
        case .perform(.checkOverlay): perform(machine.received(.checked(problem: nil), at: now_ms))
        case .perform(.saveOverlay(let state)):
          #expect(throws: Never.self) { try OverlayFile(queuePath: folder.queue).write(state) }
          texts.append(OverlayDocument.text(state))
          perform(machine.received(.saved(problem: nil), at: now_ms))
        case .perform(.useOverlay(let overlay)):
          // Never before it is on storage.
          #expect((try? OverlayFile(queuePath: folder.queue).read())?.wanted == overlay)
          machine.settingsHold(OverlayUse(version: overlay?.version))
          perform(machine.started(at: now_ms))
        case .perform, .tell, .commit, .stop, .log, .warn: break
        }
      }
    }

    func wait(_ s: Int64) {
      now_ms += s * 1000
      perform(machine.tick(at: now_ms))
    }
  }

  /// What the file may be when the power goes during a write: `TurnedFile` writes over the version before, flushes it and exchanges the two.
  private enum Cut: CaseIterable {
    case beforeAll, partEmpty, partHalf, partWhole, renamed
  }

  private func put(_ before: String?, _ after: String, _ cut: Cut) throws {
    unlink(path)
    unlink(path + ".next")
    // As the file would be.
    func bytes(_ text: String) throws -> [UInt8] {
      let other = QueueFolder()
      try StateFile(queuePath: other.queue).write(.settings, text)
      return other.read("queue.db.state")
    }
    let after = try bytes(after)
    if let before { folder.write(try bytes(before), to: name) }
    switch cut {
    case .beforeAll: break
    case .partEmpty: folder.write([], to: name + ".next")
    case .partHalf: folder.write(Array(after.prefix(after.count / 2)), to: name + ".next")
    case .partWhole: folder.write(after, to: name + ".next")
    case .renamed: folder.write(after, to: name)
    }
  }

  /// Version 6 is in force; 7 is offered and then kept or, without a sync, rolled back.
  private func story(syncs: Bool) throws -> [String] {
    try file.write(OverlayState(kept: overlay(6)))
    let box = Box(folder, boot: 0)
    let first = OverlayDocument.text(OverlayState(kept: overlay(6)))
    box.perform(box.machine.offered(.overlay(overlay(7)), time_ms: 0, at: 0))
    #expect(box.machine.use.version == 7)
    if syncs { box.perform(box.machine.delivered(at: 0)) } else { box.wait(600) }
    return [first] + box.texts
  }

  @Test(
    "the power cut at each step of each write, and then at each step of what follows: the box comes up with the old or the new settings, never with none, and never with unconfirmed ones for long",
    arguments: [true, false], [true, false])
  func cuts(syncsBefore: Bool, syncsAfter: Bool) throws {
    let texts = try story(syncs: syncsBefore)
    #expect(texts.count == 4)
    for (before, after) in zip(texts, texts.dropFirst()) {
      for cut in Cut.allCases {
        try put(before, after, cut)
        let (boots, states) = try settle(syncs: syncsAfter)
        #expect(boots <= OverlayState.mostStarts, "\(cut)")
        // What follows is cut at each step too.
        for (inner, next) in zip(states, states.dropFirst()) {
          for second in Cut.allCases {
            try put(inner, next, second)
            _ = try settle(syncs: syncsAfter)
          }
        }
      }
    }
  }

  /// Boots until nothing is on trial, each with a power cut after a minute unless the server can be reached.
  ///
  /// - Returns: the boots it took, and what the file said in turn.
  private func settle(syncs: Bool) throws -> (boots: Int, texts: [String]) {
    var texts = [OverlayDocument.text(try file.read())]
    for boot in 1...10 {
      let box = Box(folder, boot: boot)
      #expect([6, 7].contains(box.machine.use.version ?? 0))
      texts.append(OverlayDocument.text(try file.read()))
      if syncs { box.perform(box.machine.delivered(at: 0)) } else { box.wait(60) }
      texts += box.texts
      let state = try file.read()
      if state.trial == nil {
        #expect(state.wanted?.version == 6 || state.wanted?.version == 7)
        #expect(syncs || state.wanted?.version == 6 || texts[0].contains(#""kept":{"version":7"#))
        return (boot, texts)
      }
    }
    Issue.record("a trial goes on for ever")
    return (10, texts)
  }

  @Test(
    "a process that is killed again and again during a trial has the settings before it at the third start")
  func crashLoop() throws {
    try file.write(OverlayState(kept: overlay(6)))
    let box = Box(folder, boot: 1)
    box.perform(box.machine.offered(.overlay(overlay(7)), time_ms: 0, at: 0))
    var versions: [Int64?] = []
    for _ in 0..<4 { versions.append(file.begin(bootID: "boot-1", at: 1000).state.wanted?.version) }
    #expect(versions == [7, 7, 6, 6])
    #expect(
      try file.read().refused?.reason
        == "trial failed: the agent crashed, or the power was cut, 3 times before a sync succeeded")
  }
}
