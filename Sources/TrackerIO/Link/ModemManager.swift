import CSystemd
import TrackerBase

/// The modems of this machine, by ModemManager over the system's bus (D-Bus). Nothing here waits: sd-bus keeps what is
/// to be sent and what has come, and works when the loop turns.
///
/// ModemManager is asked now and then, and once it says that a modem stands otherwise with its network. It is never
/// started for that. Without a bus, or without ModemManager, there are no modems, and nothing is asked. Where cells are
/// wanted, it announces each change of the serving one; if it does not yet, it is told to.
public final class ModemManager {
  private static let name = "org.freedesktop.ModemManager1"
  /// Signal and the like may be so old.
  public static let refresh_ms: Int64 = 300_000
  /// A bus that is away is tried so often.
  public static let reconnect_ms: Int64 = 30_000
  /// For a reply; after that the next turn gives it up.
  private static let patience_us: UInt64 = 10_000_000
  /// Messages handled in one turn.
  private static let most = 1000

  private let address: String?
  private let wantsCells: Bool
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
  /// Of `found`, their objects.
  private var paths: [String] = []
  /// Of the `Setup` that each modem got, the answers, and what it had when it was told.
  private var setUps: [String: BusValue] = [:]
  private var setUpRefusal: CellProblem?
  /// Why no modem tells its cell; nil: one does, none is there, or it is not known yet.
  public private(set) var cellProblem: CellProblem?

  /// - Parameter address: of the bus; nil: the system's, or what DBUS_SYSTEM_BUS_ADDRESS says.
  public init(address: String? = nil, wantsCells: Bool = false) {
    (self.address, self.wantsCells) = (address, wantsCells)
  }

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
    if bus == nil { return now_ms - askedAt_ms >= ModemManager.reconnect_ms }
    if isStale { return true }
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
    watchProperties(of: "Modem.Modem3gpp")
    if wantsCells { watchProperties(of: "Modem.Location") }
    watch(
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
        + "member='NameOwnerChanged',arg0='\(ModemManager.name)'")
  }

  private func watchProperties(of interface: String) {
    watch(
      "type='signal',sender='\(ModemManager.name)',interface='org.freedesktop.DBus.Properties',"
        + "member='PropertiesChanged',arg0='\(ModemManager.name).\(interface)'")
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
    forgetModems()
    if let bus { sd_bus_close_unref(bus) }
    bus = nil
    (isAbsent, isStale) = (false, true)
  }

  private func forgetModems() {
    if found != nil { found = [] }
    (paths, setUps, setUpRefusal, cellProblem) = ([], [:], nil, wantsCells ? .noModemManager : nil)
  }

  // MARK: ModemManager

  private func ask(at now_ms: Int64) {
    askedAt_ms = now_ms
    if bus == nil { open() }
    guard let bus else { return forgetModems() }
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
      return forgetModems()
    }
    isAbsent = false
    guard let objects = BusValue(next: reply) else { return }
    (paths, found) = ModemObjects.modems(in: objects, withCells: wantsCells)
    if wantsCells { announceCells(objects) }
  }

  // MARK: Cells

  /// Each modem is told once for each state that it may be found in: one that refuses is not pestered.
  private func announceCells(_ objects: BusValue) {
    setUps = setUps.filter { paths.contains($0.key) }
    let announcements = paths.map { CellAnnouncement(ModemObjects.location(of: $0, in: objects)) }
    for (path, announcement) in zip(paths, announcements) {
      guard case .missing(let sources) = announcement else { continue }
      let state = ModemObjects.location(of: path, in: objects) ?? .other
      if setUps[path] != state { setUp(path, sources) }
      setUps[path] = state
    }
    cellProblem = problem(of: announcements)
  }

  private func problem(of announcements: [CellAnnouncement]) -> CellProblem? {
    if announcements.isEmpty || announcements.contains(.given) { return nil }
    let withheld = announcements.lazy.compactMap {
      if case .withheld(let problem) = $0 { problem } else { nil }
    }
    return setUpRefusal ?? (withheld.count == announcements.count ? withheld.first : nil)
  }

  /// `Location.Setup`: the sources, and that they are announced.
  private func setUp(_ path: String, _ sources: UInt32) {
    var message: OpaquePointer?
    let interface = ModemManager.name + ".Modem.Location"
    guard sd_bus_message_new_method_call(bus, &message, ModemManager.name, path, interface, "Setup") >= 0
    else {
      return
    }
    defer { sd_bus_message_unref(message) }
    var (sources, announces) = (sources, Int32(1))
    guard sd_bus_message_append_basic(message, CChar(bitPattern: UInt8(ascii: "u")), &sources) >= 0,
      sd_bus_message_append_basic(message, CChar(bitPattern: UInt8(ascii: "b")), &announces) >= 0
    else { return }
    sd_bus_message_set_auto_start(message, 0)
    // Without a slot of ours the call lives until its answer, or as long as the bus.
    let here = Unmanaged.passUnretained(self).toOpaque()
    _ = sd_bus_call_async(bus, nil, message, setUpAnswered, here, ModemManager.patience_us)
  }

  /// What it brings is announced. One that is off cannot be set up yet, and is again once it is on.
  fileprivate func setUpHeard(_ reply: OpaquePointer) {
    guard let error = sd_bus_message_get_error(reply)?.pointee, let name = error.name else {
      setUpRefusal = nil
      return
    }
    let words = String(cString: name)
    if words.hasSuffix(".Core.WrongState") { return }
    setUpRefusal = .refused(String(words.suffix(100)))
    cellProblem = setUpRefusal
  }

  /// - Parameter signal: some properties of an object have changed.
  fileprivate func propertiesChanged(_ signal: OpaquePointer) {
    let changed =
      BusValue(next: signal)?.text == ModemManager.name + ".Modem.Location" ? BusValue(next: signal) : nil
    guard let location = changed?["Location"], changed?.members.count == 1,
      let path = sd_bus_message_get_path(signal), let index = paths.firstIndex(of: String(cString: path))
    else { return somethingChanged() }
    found?[index].cell = Cell(location)
  }

  fileprivate func somethingChanged() { (isStale, isAbsent) = (true, false) }
}

// sd-bus calls them from `process`, on the agent's one thread, and not after `close`.

private func signalled(
  _ signal: OpaquePointer?, _ here: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  guard let here, let signal else { return 0 }
  let manager = Unmanaged<ModemManager>.fromOpaque(here).takeUnretainedValue()
  let isOfProperties = sd_bus_message_is_signal(signal, "org.freedesktop.DBus.Properties", nil) > 0
  if isOfProperties { manager.propertiesChanged(signal) } else { manager.somethingChanged() }
  return 0
}

private func setUpAnswered(
  _ reply: OpaquePointer?, _ here: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let here, let reply { Unmanaged<ModemManager>.fromOpaque(here).takeUnretainedValue().setUpHeard(reply) }
  return 0
}

private func answered(
  _ reply: OpaquePointer?, _ here: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  if let here, let reply { Unmanaged<ModemManager>.fromOpaque(here).takeUnretainedValue().heard(reply) }
  return 0
}
