import CSystemd
import Glibc
import TrackerBase

/// A lock that keeps logind from switching the system off for whoever asks politely (systemd-inhibit(1)): a descriptor,
/// which is closed to give it back. Nothing here waits.
public final class ShutdownLock {
  private enum State {
    case free
    /// Asked for, over a bus of its own.
    case asked(bus: OpaquePointer, call: OpaquePointer?)
    case held(descriptor: Int32)
    /// Not to be had this time.
    case refused
  }

  private static let name = "org.freedesktop.login1"
  private static let patience_us: UInt64 = 10_000_000

  private let address: String?
  private let why: String
  private var state = State.free
  private var problem: ShutdownLockProblem?

  /// - Parameters:
  ///   - why: for whoever is refused.
  ///   - address: of the bus; nil: the system's, or what DBUS_SYSTEM_BUS_ADDRESS says.
  public init(why: String, address: String? = nil) { (self.why, self.address) = (why, address) }

  deinit { giveBack() }

  public var isHeld: Bool { if case .held = state { true } else { false } }

  public var descriptors: [PollDescriptor] {
    guard case .asked(let bus, _) = state else { return [] }
    let (descriptor, events) = (sd_bus_get_fd(bus), sd_bus_get_events(bus))
    guard descriptor >= 0, events >= 0 else { return [] }
    return [
      PollDescriptor(
        descriptor: descriptor, wantsRead: events & Int32(POLLIN) != 0,
        wantsWrite: events & Int32(POLLOUT) != 0)
    ]
  }

  /// Asks for it, unless that is done. One that was refused is asked for again after `giveBack`.
  public func take() {
    guard case .free = state else { return }
    guard let bus = open() else { return refuse(.noBus) }
    var call: OpaquePointer?
    guard ask(bus, &call) else {
      sd_bus_close_unref(bus)
      return refuse(.noBus)
    }
    state = .asked(bus: bus, call: call)
  }

  public func giveBack() {
    switch state {
    case .free, .refused: break
    case .asked(let bus, let call): hangUp(bus, call)
    case .held(let descriptor): close(descriptor)
    }
    state = .free
  }

  /// Takes what has come. - Returns: why there is no lock, once for each time.
  public func drive() -> ShutdownLockProblem? {
    if case .asked(let bus, _) = state {
      var done: Int32 = 1
      // The answer ends it, and the bus stays for as long as this needs it.
      sd_bus_ref(bus)
      while done > 0, case .asked = state { done = sd_bus_process(bus, nil) }
      sd_bus_unref(bus)
      if done < 0 { refuse(.noBus) }
    }
    defer { problem = nil }
    return problem
  }

  private func refuse(_ problem: ShutdownLockProblem) {
    giveBack()
    (state, self.problem) = (.refused, problem)
  }

  private func open() -> OpaquePointer? {
    var bus: OpaquePointer?
    guard let address else { return sd_bus_open_system(&bus) < 0 ? nil : bus }
    guard sd_bus_new(&bus) >= 0 else { return nil }
    sd_bus_set_address(bus, address)
    sd_bus_set_bus_client(bus, 1)
    if sd_bus_start(bus) >= 0 { return bus }
    sd_bus_unref(bus)
    return nil
  }

  /// `Inhibit`: what, who, why, mode (org.freedesktop.login1(5)). For sleep it would be a lock of its own: of one for
  /// both logind asks polkit about lid switches. And `delay` ends after five seconds.
  private func ask(_ bus: OpaquePointer, _ call: inout OpaquePointer?) -> Bool {
    var message: OpaquePointer?
    let made = sd_bus_message_new_method_call(
      bus, &message, ShutdownLock.name, "/org/freedesktop/login1", ShutdownLock.name + ".Manager", "Inhibit")
    guard made >= 0 else { return false }
    defer { sd_bus_message_unref(message) }
    for text in ["shutdown", "godwit", why, "block"] {
      guard sd_bus_message_append_basic(message, CChar(bitPattern: UInt8(ascii: "s")), text) >= 0 else {
        return false
      }
    }
    sd_bus_message_set_auto_start(message, 0)
    let here = Unmanaged.passUnretained(self).toOpaque()
    return sd_bus_call_async(bus, &call, message, answered, here, ShutdownLock.patience_us) >= 0
  }

  private func hangUp(_ bus: OpaquePointer, _ call: OpaquePointer?) {
    sd_bus_slot_unref(call)
    sd_bus_close_unref(bus)
  }

  fileprivate func heard(_ reply: OpaquePointer) {
    if let error = sd_bus_message_get_error(reply)?.pointee.name {
      let words = String(cString: error)
      let isAbsent = words.hasSuffix(".ServiceUnknown") || words.hasSuffix(".NameHasNoOwner")
      return refuse(isAbsent ? .noLogind : .refused(String(words.suffix(100))))
    }
    var descriptor: Int32 = -1
    guard sd_bus_message_read_basic(reply, CChar(bitPattern: UInt8(ascii: "h")), &descriptor) > 0,
      case .asked(let bus, let call) = state
    else { return refuse(.refused("an answer without a lock")) }
    // The message's own is closed with it.
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard own >= 0 else { return refuse(.refused("fcntl F_DUPFD_CLOEXEC: errno \(errno)")) }
    hangUp(bus, call)
    state = .held(descriptor: own)
  }
}

/// Why nothing keeps the system from being switched off.
public enum ShutdownLockProblem: Equatable, Hashable, Sendable, CustomStringConvertible {
  case noBus
  case noLogind
  /// With the bus' name of the error.
  case refused(String)

  public var description: String {
    let words =
      switch self {
      case .noBus: "there is no system bus"
      case .noLogind: "logind does not run"
      case .refused(let name):
        "logind refuses the lock (\(name)); the package's polkit rule allows it where polkitd is installed"
      }
    return "a shutdown in a trip is not held up: \(words)"
  }
}

// sd-bus calls it from `drive`, on the agent's one thread, and not after `hangUp`.
private func answered(
  _ reply: OpaquePointer?, _ here: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let here, let reply { Unmanaged<ShutdownLock>.fromOpaque(here).takeUnretainedValue().heard(reply) }
  return 0
}
