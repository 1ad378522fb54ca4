import Glibc
import TrackerBase
import TrackerIO
import TrackerReceiver
import TrackerWire

/// gpsd, the GPS module's power, its antenna, and how long the first fix takes.
///
/// Without an agent the module is switched here. With one, that is asked for one good fix, and switches by itself; where
/// it may not (a pause, outside of the schedule's windows), what it does anyway is looked at.
struct ReceiverExam {
  let settings: Settings
  let agent: AgentLink
  let patience_s: Int64
  let say: (String) -> Void

  private static let connect_ms: Int64 = 5000
  /// A module that has no power sends nothing for so long; one that has it, each second.
  private static let silence_ms: Int64 = 4000
  /// What stands in capacitors and buffers is over by then.
  private static let patienceForSilence_ms: Int64 = 15_000
  /// A satellite heard less well than this gives poor fixes (gps_weak, docs/status.md).
  private static let weak_dBHz = 28.0

  func findings() -> [Finding] {
    let ear = ReceiverEar(settings.gps)
    ear.listen(for: Self.connect_ms) { ear.devices != nil }
    guard ear.isOpen, let devices = ear.devices else {
      let problem = ear.problem ?? "gpsd does not say what devices it has"
      let advice =
        NoIPv6.words(settings.gps)
        ?? "systemctl status gpsd.socket gpsd; gps.host and gps.port say where it is looked for"
      return [.fail(.gpsd, problem, advice)] + Self.untried("gpsd does not answer")
    }
    guard !devices.isEmpty else {
      let advice = "name it in DEVICES of /etc/default/gpsd, then restart gpsd"
      return [.fail(.gpsd, "answers, and has no device", advice)] + Self.untried("gpsd has no device")
    }
    let absent = devices.filter { Check.absent([$0.path], of: settings.gps) != nil }
    if absent.count == devices.count, let words = Check.absent(devices.map(\.path), of: settings.gps) {
      return [.fail(.gpsd, "answers, but \(words)")] + Self.untried("the device is not there")
    }
    let gpsd = Self.gpsd(devices, readers: { LineReaders.all(of: $0) })
    guard patience_s > 0 else { return [gpsd] + Self.untried("--gps-patience 0s leaves the GPS alone") }
    return [gpsd] + (agent.isThere ? withAgent(ear) : alone(ear))
  }

  private static func untried(
    _ words: String, _ subjects: [Finding.Subject] = [.power, .antenna, .fix]
  ) -> [Finding] { subjects.map { .notTried($0, words) } }

  static func gpsd(_ devices: [GPSDDevice], readers: (_ path: String) -> [String]) -> Finding {
    for device in devices {
      let found = readers(device.path)
      guard found.count > 1 else { continue }
      return .fail(
        .gpsd, "\(found.joined(separator: " and ")) read \(device.path): each gets a part of every sentence",
        "one gpsd alone may read it: stop the others")
    }
    let names = devices.map { $0.path + ($0.driver.map { " (\($0))" } ?? "") }.joined(separator: ", ")
    return .pass(.gpsd, "answers, with \(names)")
  }

  // MARK: Without an agent

  private func alone(_ ear: ReceiverEar) -> [Finding] {
    let hand: PowerHand?
    do throws(PowerError) { hand = try PowerHand(settings.gps.power) } catch {
      return unswitched("\(error)", "gps.power names chip and line; gpioinfo lists those that there are")
    }
    guard let hand else {
      say("waiting for a fix, \(patience_s) s at most; the module is always powered")
      let look = look(ear)
      let power: Finding =
        look.firstReport_s == nil
        ? silent("the module has no power, or gpsd does not hear it")
        : .pass(.power, "always powered, and it speaks")
      return [power] + findings(look)
    }
    defer { _ = hand.set(false) }
    ear.isEnded = hand.isEnded
    let speaksUnpowered = !isSilent(ear)
    if hand.isEnded() { Self.end() }
    say("GPS power on; waiting for a fix, \(patience_s) s at most")
    if let problem = hand.set(true) { return unswitched("cannot be switched on: \(problem)") }
    let look = look(ear)
    let problem = hand.set(false)
    if hand.isEnded() { Self.end(problem) }
    if let problem { return unswitched("cannot be switched off: \(problem)") }
    let fallsSilent = isSilent(ear)
    if hand.isEnded() { Self.end() }
    return [power(look, speaksUnpowered: speaksUnpowered, fallsSilent: fallsSilent)] + findings(look)
  }

  /// As the shell says it of a program that Ctrl-C has ended.
  private static func end(_ problem: String? = nil) -> Never {
    let words = problem.map { "the GPS cannot be switched off: \($0)" } ?? "the GPS is off again"
    Terminal.error("godwit: ended; \(words)\n")
    exit(130)
  }

  private func unswitched(
    _ words: String, _ advice: String = "the wiring of gps.power, docs/power.md"
  ) -> [Finding] {
    [.fail(.power, words, advice)] + Self.untried("the module cannot be switched", [.antenna, .fix])
  }

  private func silent(_ words: String) -> Finding {
    .fail(.power, words, "the module's supply, its serial line (RX and TX exchanged?), and its speed in gpsd")
  }

  private func power(_ look: Look, speaksUnpowered: Bool, fallsSilent: Bool) -> Finding {
    guard let spoke_s = look.firstReport_s else { return silent("with power on the module says nothing") }
    if speaksUnpowered || !fallsSilent {
      return .fail(
        .power, "the module speaks although its power is off",
        "is gps.power.line the right one, active_low right, and the module not fed by another way (its serial lines)?"
      )
    }
    return .pass(.power, "speaks \(spoke_s) s after power is on, and falls silent when it is off")
  }

  // MARK: With an agent

  private func withAgent(_ ear: ReceiverEar) -> [Finding] {
    let isOn = agent.status?["gps"]?["powered"]?.bool == true
    say("waiting for a fix, \(patience_s) s at most; the agent switches the module")
    let line = LocateRequest.line(timeout_s: min(max(patience_s, 10), 900))
    let request = isOn ? nil : try? ControlQuestion(directory: settings.run.directory, line: line)
    var refusal: String?
    let look = look(ear) {
      let answer = request?.answer().flatMap { JSONReader.parse(Array($0.utf8)) }
      refusal = refusal ?? answer?["error"]?.string
      return refusal == nil
    }
    guard let spoke_s = look.firstReport_s else {
      if let refusal { return Self.untried("the agent keeps the GPS off: \(refusal)") }
      return [silent("the agent says that power is on, and the module says nothing")] + findings(look)
    }
    guard settings.gps.power.mode != .none else {
      return [.pass(.power, "always powered, and it speaks")] + findings(look)
    }
    // What it goes on with is its own matter: it may be driving.
    let isOff = agent.ask("status")?["gps"]?["powered"]?.bool == false
    let words = isOn ? "it had power already, and speaks" : "speaks \(spoke_s) s after the agent was asked"
    if !isOff {
      return [.pass(.power, "\(words); that it falls silent is not tried while the agent uses it")]
        + findings(look)
    }
    return [
      isSilent(ear)
        ? .pass(.power, "\(words), and falls silent when power is off")
        : power(look, speaksUnpowered: true, fallsSilent: false)
    ] + findings(look)
  }

  // MARK: What is heard

  /// Times since power was switched on.
  struct Look: Equatable {
    var firstReport_s: Double?
    var firstFix_s: Double?
    var satellites = 0
    var best_dBHz: Double?
    var antennaFault: GPSReport.AntennaFault?
    var trial: ReceiverTrial
  }

  /// Until there is a fix, and satellites were seen.
  private func look(_ ear: ReceiverEar, alive: () -> Bool = { true }) -> Look {
    let began_ms = HostClock.now().boot_ms
    var look = Look(trial: ReceiverTrial(settings.gps))
    func seconds() -> Double { Double((HostClock.now().boot_ms - began_ms) / 100) / 10 }
    ear.onReport = { report in
      look.firstReport_s = look.firstReport_s ?? seconds()
      let now = HostClock.now()
      if look.trial.takes(report, trusted_ms: HostClock.trusted_ms(at: now), at: now.boot_ms) {
        look.firstFix_s = look.firstFix_s ?? seconds()
      }
      if let sky = report.sky {
        look.satellites = max(look.satellites, sky.heard)
        look.best_dBHz = max(look.best_dBHz ?? 0, sky.cn0_dBHz ?? 0)
      }
      look.antennaFault = report.antennaFault ?? look.antennaFault
    }
    var fixSeen_ms: Int64?
    ear.listen(for: patience_s * 1000) {
      let now_ms = HostClock.now().boot_ms
      if look.firstFix_s != nil { fixSeen_ms = fixSeen_ms ?? now_ms }
      // The sky comes with its own message, a second or two later.
      return !alive() || fixSeen_ms.map { look.satellites > 0 || now_ms - $0 > 5000 } ?? false
    }
    ear.onReport = nil
    return look
  }

  private func isSilent(_ ear: ReceiverEar) -> Bool {
    let end_ms = HostClock.now().boot_ms + Self.patienceForSilence_ms
    var last_ms = HostClock.now().boot_ms
    ear.onReport = { _ in last_ms = HostClock.now().boot_ms }
    defer { ear.onReport = nil }
    ear.listen(for: Self.patienceForSilence_ms) { HostClock.now().boot_ms - last_ms >= Self.silence_ms }
    return HostClock.now().boot_ms < end_ms
  }

  private func findings(_ look: Look) -> [Finding] {
    guard look.firstReport_s != nil else {
      return Self.untried("the module says nothing", [.antenna, .fix])
    }
    return [Self.antenna(look), Self.fix(look, patience_s: patience_s)]
  }

  static func antenna(_ look: Look) -> Finding {
    switch look.antennaFault {
    case .open:
      return .fail(.antenna, "the receiver says that no antenna is connected", "its plug and its cable")
    case .short: return .fail(.antenna, "the receiver says that the antenna's cable is shorted", "its cable")
    case nil: break
    }
    let strength =
      look.best_dBHz.flatMap { $0 > 0 ? ", the best at \(SettingText.number($0)) dB-Hz" : nil } ?? ""
    let words = "\(counted(look.satellites, "satellite")) heard\(strength)"
    let advice = "sky above, no metal over the antenna, its plug pushed home"
    if look.satellites < SkyView.needed {
      return !look.trial.hasPosition
        ? .fail(.antenna, words, advice) : .notTried(.antenna, "the receiver does not say what it hears")
    }
    let isWeak = look.best_dBHz.map { $0 > 0 && $0 < weak_dBHz } ?? false
    return isWeak ? .fail(.antenna, words, advice) : .pass(.antenna, words)
  }

  static func fix(_ look: Look, patience_s: Int64) -> Finding {
    guard let seconds = look.firstFix_s else {
      if let (reason, advice) = look.trial.refusal {
        return .fail(.fix, "none that the agent takes within \(patience_s) s: \(reason)", advice)
      }
      return .fail(
        .fix, "none within \(patience_s) s",
        "a receiver that was never used here needs some minutes under open sky: --gps-patience 15m")
    }
    return .pass(.fix, "after \(SettingText.number(seconds)) s\(look.trial.remark)")
  }
}

/// Listens to gpsd, over its own ends.
final class ReceiverEar {
  private let gpsd: GPSDConnection
  private(set) var devices: [GPSDDevice]?
  /// The last one.
  private(set) var problem: String?
  var onReport: ((GPSReport) -> Void)?
  /// Nobody waits any more.
  var isEnded: () -> Bool = { false }
  private var opensAt_ms: Int64 = 0

  private static let retry_ms: Int64 = 1000
  private static let turn_ms = 200

  init(_ settings: GPSSettings) { gpsd = GPSDConnection(host: settings.host, port: settings.port) }

  var isOpen: Bool { gpsd.isOpen }

  /// Until `isEnough`, or for so long.
  func listen(for time_ms: Int64, until isEnough: () -> Bool) {
    let end_ms = HostClock.now().boot_ms + time_ms
    while !isEnough(), !isEnded(), HostClock.now().boot_ms < end_ms {
      let now_ms = HostClock.now().boot_ms
      if gpsd.isClosed, now_ms >= opensAt_ms {
        opensAt_ms = now_ms + Self.retry_ms
        do throws(GPSDError) { try gpsd.open() } catch { problem = "\(error)" }
      }
      let ready = Poller.wait(gpsd.descriptors, timeout_ms: Self.turn_ms)
      for event in gpsd.receive(ready: ready) {
        switch event {
        case .report(let report): onReport?(report)
        case .devices(let found, let areAll): note(found, areAll: areAll)
        case .lost(let words): problem = words
        case .error, .frame: break
        }
      }
    }
  }

  /// gpsd names all of them at first, and later each that changes.
  private func note(_ found: [GPSDDevice], areAll: Bool) {
    var all = areAll ? [] : devices ?? []
    for device in found {
      all.removeAll { $0.path == device.path }
      all.append(device)
    }
    devices = all
  }
}

/// Switches the module while no agent runs. What is on is switched off at the end, whatever happens.
final class PowerHand {
  private let power: PowerSwitch
  /// Ctrl-C, or a terminal that goes away, must not leave the module on.
  private let signals = try? Signals()
  private var hasEnded = false

  /// Begins with power off. - Returns: nil for a module that is always powered.
  init?(_ settings: GPSPowerSettings) throws(PowerError) {
    if settings.mode == .none { return nil }
    // A press of the key, and what the module has to answer it; twice, as it may be tried again.
    power = try PowerSwitch(
      settings, patience_ms: 8000 + 2 * Int64(settings.pulse_ms + settings.statusTimeout_s * 1000))
    _ = power.finish()
  }

  /// - Returns: what went wrong.
  func set(_ on: Bool) -> String? { power.switchNow(on) }

  /// Somebody has asked for the end.
  func isEnded() -> Bool {
    if signals?.receive().isEmpty == false { hasEnded = true }
    return hasEnded
  }
}
