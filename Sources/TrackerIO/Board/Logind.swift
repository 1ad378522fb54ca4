import CSystemd
import TrackerBase

/// systemd-logind over the system's bus (D-Bus), org.freedesktop.login1(5): its inhibitor locks, and off or to sleep.
/// Nothing here waits, as with `ModemManager`: one order at a time, and what came of it with a later turn.
public final class Logind {
  public enum Order: Equatable, Sendable {
    /// Which locks are held against it.
    case ask(SleepSettings.State)
    case sleep(SleepSettings.State)
  }

  public enum News: Equatable, Sendable {
    /// Who holds a lock, and why; nil: nobody.
    case inhibited(by: String?)
    case accepted
    case failed(BoardError)
  }

  private static let name = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let interface = "org.freedesktop.login1.Manager"
  /// For a reply.
  private static let patience_us: UInt64 = 10_000_000
  /// Messages handled in one turn.
  private static let most = 1000

  private let address: String?
  private var bus: OpaquePointer?
  private var call: OpaquePointer?
  private var order: Order?
  private var news: [News] = []

  /// - Parameter address: of the bus; nil: the system's, or what DBUS_SYSTEM_BUS_ADDRESS says.
  public init(address: String? = nil) { self.address = address }

  deinit { close() }

  public var descriptors: [PollDescriptor] {
    guard let bus, order != nil else { return [] }
    let (descriptor, events) = (sd_bus_get_fd(bus), sd_bus_get_events(bus))
    guard descriptor >= 0, events >= 0 else { return [] }
    // poll(2): POLLIN and POLLOUT.
    return [PollDescriptor(descriptor: descriptor, wantsRead: events & 1 != 0, wantsWrite: events & 4 != 0)]
  }

  /// Takes what has come.
  public func drive() -> [News] {
    if let bus {
      for _ in 0..<Logind.most {
        let done = sd_bus_process(bus, nil)
        if done < 0 {
          failed(.noBus)
          break
        }
        if done == 0 { break }
      }
    }
    defer { news = [] }
    // Kept only while something is asked: a bus that is restarted would be found dead at the next order.
    if order == nil { close() }
    return news
  }

  /// What came of it is told by `drive`, also where it could not even be sent.
  public func begin(_ order: Order) {
    close()
    self.order = order
    guard open(), let bus else { return failed(.noBus) }
    var message: OpaquePointer?
    let made = sd_bus_message_new_method_call(
      bus, &message, Logind.name, Logind.path, Logind.interface, order.method)
    guard made >= 0 else { return failed(.noBus) }
    defer { sd_bus_message_unref(message) }
    if case .sleep = order {
      // Nobody is there whom polkit could ask.
      var interactive: Int32 = 0
      guard sd_bus_message_append_basic(message, CChar(bitPattern: UInt8(ascii: "b")), &interactive) >= 0
      else {
        return failed(.noBus)
      }
    }
    let here = Unmanaged.passUnretained(self).toOpaque()
    if sd_bus_call_async(bus, &call, message, answered, here, Logind.patience_us) < 0 { failed(.noBus) }
  }

  private func failed(_ error: BoardError) {
    if order != nil { news.append(.failed(error)) }
    order = nil
  }

  // MARK: The bus

  private func open() -> Bool {
    var opened: OpaquePointer?
    if let address {
      guard sd_bus_new(&opened) >= 0 else { return false }
      sd_bus_set_address(opened, address)
      sd_bus_set_bus_client(opened, 1)
      if sd_bus_start(opened) < 0 {
        sd_bus_unref(opened)
        return false
      }
    } else if sd_bus_open_system(&opened) < 0 {
      return false
    }
    bus = opened
    return true
  }

  private func close() {
    call = sd_bus_slot_unref(call)
    if let bus { sd_bus_close_unref(bus) }
    (bus, order) = (nil, nil)
  }

  fileprivate func heard(_ reply: OpaquePointer) {
    guard let order else { return }
    defer { self.order = nil }
    if let error = sd_bus_message_get_error(reply)?.pointee, let name = error.name {
      let name = String(cString: name)
      let isSilent = name.hasSuffix(".NoReply") || name.hasSuffix(".Timeout") || name.hasSuffix(".TimedOut")
      let words = error.message.map { String(cString: $0) } ?? ""
      return failed(
        isSilent ? .silent : .refused(words: String(words.prefix(200)), name: String(name.suffix(100))))
    }
    switch order {
    case .sleep: news.append(.accepted)
    case .ask(let state):
      news.append(.inhibited(by: BusValue(next: reply).flatMap { Logind.blocker(of: state, in: $0) }))
    }
  }

  /// `a(ssssuu)`: what, who, why, mode, uid, pid. A lock of the mode `delay` only asks for a moment, which logind grants.
  static func blocker(of state: SleepSettings.State, in locks: BusValue) -> String? {
    let what = state == .mem ? "sleep" : "shutdown"
    for lock in locks.list {
      let words = lock.list.prefix(4).map { $0.text ?? "" }
      guard words.count == 4, words[3].hasPrefix("block"),
        words[0].split(separator: ":").contains(where: { $0 == what })
      else { continue }
      return PlainText.line("\(words[1]): \(words[2])", instead: "?")
    }
    return nil
  }
}

extension Logind.Order {
  fileprivate var method: String {
    switch self {
    case .ask: "ListInhibitors"
    case .sleep(.poweroff): "PowerOff"
    case .sleep(.mem): "Suspend"
    }
  }
}

// sd-bus calls it from `drive`, on the agent's one thread, and not after `close`.
private func answered(
  _ reply: OpaquePointer?, _ here: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let here, let reply { Unmanaged<Logind>.fromOpaque(here).takeUnretainedValue().heard(reply) }
  return 0
}
