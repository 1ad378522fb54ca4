import TrackerBase

/// Gives a u-blox receiver its dynamic model, once per power-on: it is kept in the receiver's memory, which is lost with
/// the power. On the boot clock.
///
/// Nothing but what the receiver reads back shows that it worked: gpsd answers nothing, and one with `-b` sends nothing.
struct DynamicModelSetting: Equatable, Sendable {
  typealias Progress = GPSStatus.DynamicModelProgress

  enum Action: Equatable, Sendable {
    /// gpsd is to show the receiver's own frames, or no longer.
    case hearFrames(Bool)
    /// In order, as one request each.
    case send([[UBXFrame]], device: String)
    case succeeded
    /// `kept`: what the receiver says that it has instead; nil: it said nothing. `isNew`: there was a success since the
    /// last failure.
    case failed(device: String, kept: UInt8?, isNew: Bool)
  }

  struct Asked: Equatable, Sendable {
    var device: String
    var tries = 0
    var until_ms: Int64 = 0
    var kept: UInt8?
  }

  package enum State: Equatable, Sendable {
    /// For gpsd to say what the receiver is.
    case waiting
    /// For the receiver to read back.
    case asked(Asked)
    case done(Progress)
  }

  /// gpsd's name of it.
  static let driver = "u-blox"
  /// A receiver at 9600 baud has a second's worth of its own to say first. Each wait is twice the one before: a board
  /// that has much to do while it boots is a minute late.
  static let answer_ms: Int64 = 2000
  static let tries = 5

  private(set) var state = State.waiting
  private let code: UInt8?
  private let preferred: String
  private var hasFailed = false
  /// Since power-on, where a connection ended before the receiver had read back.
  private var unanswered: Asked?

  init(settings: GPSSettings) {
    code = settings.dynamicModel.code
    preferred = settings.device
  }

  /// nil: the receiver keeps what it has.
  var progress: Progress? {
    guard code != nil else { return nil }
    switch state {
    case .waiting, .asked: return .pending
    case .done(let progress): return progress
    }
  }

  var deadline_ms: Int64? { if case .asked(let asked) = state { asked.until_ms } else { nil } }

  mutating func poweredOn() { (state, unanswered) = (.waiting, nil) }

  /// The connection to gpsd is closed; after the next one gpsd names its devices again, and the tries go on.
  mutating func disconnected() {
    switch state {
    case .waiting, .done: break
    case .asked(let asked): (state, unanswered) = (.waiting, asked)
    }
  }

  /// gpsd has found out what a receiver is. One that is not the preferred one is left alone.
  mutating func driverNamed(_ name: String, of device: String, at now_ms: Int64) -> [Action] {
    guard code != nil, preferred.isEmpty || device == preferred else { return [] }
    switch state {
    case .waiting, .done(.otherDriver): break
    case .asked, .done: return []
    }
    guard name == Self.driver else {
      state = .done(.otherDriver)
      return []
    }
    let asked = unanswered.flatMap { $0.device == device ? $0 : nil } ?? Asked(device: device)
    unanswered = nil
    guard asked.tries < Self.tries else { return giveUp(asked) }
    return [.hearFrames(true)] + ask(asked, at: now_ms)
  }

  mutating func frameArrived(_ bytes: [UInt8]) -> [Action] {
    guard case .asked(var asked) = state, let model = UBXFrame(bytes)?.dynamicModel else { return [] }
    guard model == code else {
      asked.kept = model
      state = .asked(asked)
      return []
    }
    state = .done(.set)
    hasFailed = false
    return [.hearFrames(false), .succeeded]
  }

  mutating func tick(at now_ms: Int64) -> [Action] {
    guard case .asked(let asked) = state, now_ms >= asked.until_ms else { return [] }
    return asked.tries < Self.tries ? ask(asked, at: now_ms) : giveUp(asked)
  }

  private mutating func giveUp(_ asked: Asked) -> [Action] {
    state = .done(.failed)
    defer { hasFailed = true }
    return [.hearFrames(false), .failed(device: asked.device, kept: asked.kept, isNew: !hasFailed)]
  }

  /// In both ways: a receiver refuses the one that it does not know, and changes nothing.
  private mutating func ask(_ asked: Asked, at now_ms: Int64) -> [Action] {
    guard let code else { return [] }
    state = .asked(
      Asked(
        device: asked.device, tries: asked.tries + 1, until_ms: now_ms + Self.answer_ms << asked.tries,
        kept: asked.kept))
    return [.send([UBXFrame.setByKey(code), UBXFrame.setInNAV5(code)], device: asked.device)]
  }
}
