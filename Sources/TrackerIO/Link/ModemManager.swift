import CSystemd
import TrackerCore

/// The modems of this machine, by ModemManager over the system's bus (D-Bus). Nothing here waits: sd-bus keeps what is
/// to be sent and what has come, and works when the loop turns.
///
/// ModemManager is asked now and then, and once it says that a modem stands otherwise with its network. It is never
/// started for that. Without a bus, or without ModemManager, there are no modems, and nothing is asked.
public final class ModemManager {
  private static let name = "org.freedesktop.ModemManager1"
  /// Signal and the like may be so old.
  public static let refresh_ms: Int64 = 300_000
  /// For a reply; after that the next turn gives it up.
  private static let patience_us: UInt64 = 10_000_000
  /// Messages handled in one turn.
  private static let most = 1000

  private let address: String?
  private var bus: OpaquePointer?
  private var slots: [OpaquePointer?] = []
  /// The call that is under way.
  private var call: OpaquePointer?
  private var isCalling = false
  /// ModemManager has said that there is something new, or has come or gone.
  private var isStale = true
  /// It is not on the bus: asked again once it comes.
  private var isAbsent = false
  private var askedAt_ms: Int64?
  private var found: [Modem]?

  /// - Parameter address: of the bus; nil: the system's, or what DBUS_SYSTEM_BUS_ADDRESS says.
  public init(address: String? = nil) { self.address = address }

  deinit { close() }

  public var descriptors: [PollDescriptor] {
    guard let bus else { return [] }
    let (descriptor, events) = (sd_bus_get_fd(bus), sd_bus_get_events(bus))
    guard descriptor >= 0, events >= 0 else { return [] }
    // poll(2): POLLIN and POLLOUT.
    return [PollDescriptor(descriptor: descriptor, wantsRead: events & 1 != 0, wantsWrite: events & 4 != 0)]
  }

  /// Takes what has come, and asks anew if it is time. - Returns: the modems, if these are others than before.
  public func drive(at now_ms: Int64) -> [Modem]? {
    let before = found
    process()
    if isDue(at: now_ms) { ask(at: now_ms) }
    return found == before ? nil : found
  }

  private func isDue(at now_ms: Int64) -> Bool {
    if isCalling { return false }
    guard let askedAt_ms else { return true }
    if bus != nil, isStale { return true }
    return !isAbsent && now_ms - askedAt_ms >= ModemManager.refresh_ms
  }

  // MARK: The bus

  private func process() {
    guard let bus else { return }
    for _ in 0..<ModemManager.most {
      let done = sd_bus_process(bus, nil)
      if done < 0 { return close() }
      if done == 0 { return }
    }
  }

  private func open() {
    var opened: OpaquePointer?
    if let address {
      guard sd_bus_new(&opened) >= 0 else { return }
      sd_bus_set_address(opened, address)
      sd_bus_set_bus_client(opened, 1)
      if sd_bus_start(opened) < 0 {
        sd_bus_unref(opened)
        return
      }
    } else if sd_bus_open_system(&opened) < 0 {
      return
    }
    bus = opened
    watch(
      "type='signal',sender='\(ModemManager.name)',interface='org.freedesktop.DBus.Properties',"
        + "member='PropertiesChanged',arg0='\(ModemManager.name).Modem.Modem3gpp'")
    watch(
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
        + "member='NameOwnerChanged',arg0='\(ModemManager.name)'")
  }

  private func watch(_ rule: String) {
    var slot: OpaquePointer?
    let here = Unmanaged.passUnretained(self).toOpaque()
    // Without it the modems are asked for now and then all the same.
    guard sd_bus_add_match_async(bus, &slot, rule, signalled, nil, here) >= 0 else { return }
    slots.append(slot)
  }

  /// What is gone says nothing more: no modems, until it is back.
  private func close() {
    for slot in slots + [call] { sd_bus_slot_unref(slot) }
    (slots, call, isCalling) = ([], nil, false)
    if let bus { sd_bus_close_unref(bus) }
    bus = nil
    (isAbsent, isStale) = (false, true)
    if found != nil { found = [] }
  }

  // MARK: ModemManager

  private func ask(at now_ms: Int64) {
    askedAt_ms = now_ms
    if bus == nil { open() }
    guard let bus else { return }
    isStale = false
    var message: OpaquePointer?
    let made = sd_bus_message_new_method_call(
      bus, &message, ModemManager.name, "/org/freedesktop/ModemManager1",
      "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    guard made >= 0 else { return close() }
    defer { sd_bus_message_unref(message) }
    sd_bus_message_set_auto_start(message, 0)
    call = sd_bus_slot_unref(call)
    let here = Unmanaged.passUnretained(self).toOpaque()
    guard sd_bus_call_async(bus, &call, message, answered, here, ModemManager.patience_us) >= 0 else {
      return close()
    }
    isCalling = true
  }

  fileprivate func heard(_ reply: OpaquePointer) {
    isCalling = false
    guard sd_bus_message_is_method_error(reply, nil) == 0 else {
      // Not there, or it does not answer.
      isAbsent =
        sd_bus_message_is_method_error(reply, "org.freedesktop.DBus.Error.ServiceUnknown") > 0
        || sd_bus_message_is_method_error(reply, "org.freedesktop.DBus.Error.NameHasNoOwner") > 0
      if found != nil { found = [] }
      return
    }
    isAbsent = false
    if let objects = BusValue(next: reply) { found = ModemObjects.modems(in: objects) }
  }

  fileprivate func somethingChanged() { (isStale, isAbsent) = (true, false) }
}

// sd-bus calls them from `process`, on the agent's one thread, and not after `close`.

private func signalled(
  _: OpaquePointer?, _ here: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let here { Unmanaged<ModemManager>.fromOpaque(here).takeUnretainedValue().somethingChanged() }
  return 0
}

private func answered(
  _ reply: OpaquePointer?, _ here: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let here, let reply { Unmanaged<ModemManager>.fromOpaque(here).takeUnretainedValue().heard(reply) }
  return 0
}
