/// Everything that can happen to the tracker. `server` counts from 0, the one of `[sync]`.
///
/// What is rare and large lies apart (`indirect`): each report would be as large, and is copied with each step.
public enum Event: Equatable, Sendable {
  /// The first event, once every port is there.
  case started
  case gpsReport(GPSReport)
  /// gpsd has found out what kind of receiver a device is, with its own name for it.
  case gpsDriver(String, device: String)
  /// gpsd has these devices, by their paths. - Parameter areAll: and no other.
  case gpsDevices([String], areAll: Bool = false)
  /// A frame of a receiver's own protocol, after `.hearFrames`.
  case gpsFrame([UInt8])
  /// gpsd's connection ended or could not be opened, with the adapter's words.
  case gpsLost(String)
  /// The module was to be switched and the line said no.
  case powerFailed(String)
  /// The deadline has passed. May come early or late; the machines look at the time.
  case timer
  /// The wall clock jumped, or the zone's rules may have changed.
  case clockStepped(isSynchronised: Bool)
  /// The ignition as somebody else has debounced it.
  case ignition(on: Bool)
  /// An edge of the ignition's line, or the level that was found on it.
  case ignitionEdge(level: Bool)
  case vibrationEdge
  /// The same of the line that reports the vehicle's supply.
  case externalPowerEdge(level: Bool)
  /// A line cannot be read, with the adapter's words; it is tried again.
  case lineFailed(InputLine, String)
  case acceleration(AccelerationNews)
  case board(BoardNews)
  /// The board's supply is too low, or no longer.
  case undervoltage(Bool)
  /// The voltage of the vehicle's battery, read now and then.
  case batteryRead(volts: Double)
  /// It cannot be read, in words; reported once, and tried again.
  case batteryFailed(String)
  case linkRestored
  /// What the machine's modems say now; none, if they are gone.
  case link([Modem])
  /// The last `.commit` is on storage; so many records wait now, by server.
  case committed(queued: [Int])
  /// The last `.commit` is not on storage, as far as is known, with the adapter's words.
  case commitFailed(String)
  /// Another change of the queue failed, or a read, with the adapter's words: the next commit looks after it.
  case queueFailed(String, server: Int = 0)
  /// The queue's file was opened again after a failure, and something may be missing.
  case queueDamaged(String)
  /// `.renumber` is done.
  case queueIDChanged(QueueIDChanges)
  indirect case uploadFinished(UploadReply, server: Int = 0)
  /// `auth_command` is done. - Parameter problem: what went wrong, without a word of its output.
  case tokenCommandEnded(problem: String?, server: Int = 0)
  /// Records left the queue (`.remove`, `.quarantine`), or an operator purged some or put some back; `queued`
  /// wait now.
  case queueShrank(queued: Int, server: Int = 0)
  /// Records had to leave the queue undelivered, by cause.
  case dropped(cause: String, records: Int)
  /// An operator wants everything sent now.
  case syncAsked
  /// An operator wants something else than the schedule, or no longer.
  case intentAsked(IntentWish)
  /// `.saveRunState` did not work, with the adapter's words.
  case runStateNotSaved(String)
  case command(CommandEvent)
  /// SIGHUP, and the settings file is fine: its settings wait to be applied.
  case settingsRead
  /// The settings of `.applySettings` rule, see `Tracker.adopt`.
  case settingsApplied
  /// SIGHUP, and the settings stay as they are, with the reader's words.
  case settingsRefused(String)
  /// What came of `.checkOverlay`, `.saveOverlay` or `.useOverlay`.
  case overlay(OverlayNews)
  /// Something around the process is not as it should be.
  case hostProblem(HostProblem)
  /// A file that the settings name cannot be used, with what is done instead; it is tried again.
  case fileUnusable(SettingFile, String)
  /// SIGTERM.
  case stopping
}

/// What the process' surroundings do to it. None of it stops the tracker.
public enum HostProblem: Equatable, Sendable {
  /// So many lines of the log were lost since this was last reported, since nobody read them.
  case logLost(lines: Int)
  /// The status, the control socket or the note for `godwit power off` cannot be made, with the adapter's words.
  case runFolder(String)
  /// The process may have fewer files open than it may need, with the adapter's words.
  case fewDescriptors(String)
}

/// What the settings name and the agent can do without.
public enum SettingFile: Equatable, Sendable {
  case zone, geofences
}

extension Event {
  /// Edges may come by the thousand, and mean nothing by themselves.
  public var isLineEdge: Bool {
    if case .ignitionEdge = self { return true }
    if case .externalPowerEdge = self { return true }
    // Not `==`, which takes all cases apart.
    if case .vibrationEdge = self { return true }
    return false
  }
}

/// Everything that the tracker wants done, in order. `server` as in `Event`.
public enum Action: Equatable, Sendable {
  case setPower(Bool)
  case connectGPS
  case disconnectGPS
  /// `.gpsFrame` is wanted from now on, or no longer. A new connection begins without.
  case hearFrames(Bool)
  /// To a receiver, in its own protocol. Whether it arrives nobody says.
  case sendFrames([UInt8], device: String)
  case commit(Commit)
  /// `RunState` is to be on storage before the actions after this one are performed.
  case saveRunState(JSONValue)
  case upload(UploadOrder, server: Int = 0)
  case command(CommandAction)
  case acceleration(AccelerationOrder)
  case board(BoardOrder)
  /// `auth_command` is to run.
  case renewToken(server: Int = 0)
  case remove([Int64], server: Int = 0)
  /// The server has other records under the identities of these: they get the newest queue id, or with `renews` another one.
  case renumber([Int64], renews: Bool)
  case quarantine(Int64, reason: String, server: Int = 0)
  case log(RunSettings.LogLevel, String)
  /// Does it fit the settings file? `.overlay(.checked)` follows.
  case checkOverlay(Overlay)
  /// To be on storage; `.overlay(.saved)` says what became of it.
  case saveOverlay(OverlayState)
  /// The settings of the file with this overlay are to be read: `.settingsRead` or `.overlay(.notUsed)`
  /// follows.
  case useOverlay(Overlay?)
  /// The settings that were read take the place of those in force; `.settingsApplied` follows.
  case applySettings
  /// The process is to end once the tracker has handled what the actions before this one brought.
  case exit
}

extension Action {
  /// Of the process that ends: what became of its last commit. Nothing else is begun.
  package var isDoneWhileStopping: Bool {
    switch self {
    case .commit, .log, .remove, .renumber, .quarantine: true
    case .setPower, .connectGPS, .disconnectGPS, .hearFrames, .sendFrames, .saveRunState, .upload,
      .renewToken, .command, .acceleration, .board, .checkOverlay, .saveOverlay, .useOverlay, .applySettings,
      .exit:
      false
    }
  }
}
