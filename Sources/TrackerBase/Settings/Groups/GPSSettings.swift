public struct GPSSettings: SettingGroup {
  static let host = Setting<String>(
    "host", "Where gpsd listens: an address, or a name that is looked up for each connection.")
  public var host = "127.0.0.1"
  static let port = Setting<Int>("port", in: 1...65535, "gpsd's port.")
  public var port = 2947
  static let device = Setting<String>(
    "device",
    """
    Where gpsd has several receivers: the one that is preferred, by the path that gpsd has for it, such as
    "/dev/ttyAMA0". Empty: the first that gives a fix.
    """)
  public var device = ""
  static let deviceTimeout_s = Setting<Double>(
    "device_timeout_s", in: 1...600, remote: true,
    """
    If the receiver in use gives no fix for this time (or for silence_timeout_s, if that is less), another \
    takes over. The preferred one is used again once it has given fixes for the same time.
    """)
  public var deviceTimeout_s = 20.0
  static let dynamicModel = Setting<DynamicModel>(
    "dynamic_model",
    """
    How a u-blox receiver expects to be moved, such as "automotive": sent to it through gpsd at each power-on,
    and read back. Others are left alone. unchanged: nothing is sent; docs/power.md.
    """)
  public var dynamicModel = DynamicModel.unchanged
  static let fixTimeout_s = Setting<Double>(
    "fix_timeout_s", in: 10...3600, remote: true,
    "If there is no fix within this time, the GPS is switched off for a pause, and then tried again.")
  public var fixTimeout_s = 120.0
  static let firstFixTimeout_s = Setting<Double>(
    "first_fix_timeout_s", in: 10...3600, remote: true,
    "The same for the first GPS session of a window, when the module may have to load its almanac.")
  public var firstFixTimeout_s = 300.0
  static let silenceTimeout_s = Setting<Double>(
    "silence_timeout_s", in: 2...600, remote: true,
    """
    If gpsd reports nothing for this time, the connection is opened again; after that the module is \
    power-cycled.
    """)
  public var silenceTimeout_s = 30.0
  static let retryPauseMax_s = Setting<Double>(
    "retry_pause_max_s", in: 10...7200, remote: true,
    "The pause between failing GPS sessions doubles from 10 s up to this.")
  public var retryPauseMax_s = 600.0
  static let minOff_s = Setting<Double>(
    "min_off_s", in: 0...600,
    "Once switched off, the module stays off for at least this time: some modules need it to start cleanly.")
  public var minOff_s = 5.0
  static let settleAccuracy_m = Setting<Double>(
    "settle_accuracy_m", in: 1...1000, remote: true,
    "The first fixes after power-on are held back until one is at least this accurate …")
  public var settleAccuracy_m = 50.0
  static let settleTimeout_s = Setting<Double>(
    "settle_timeout_s", in: 0...300, remote: true, "… or this time has passed since the first of them.")
  public var settleTimeout_s = 10.0
  static let maxAccuracy_m = Setting<Double>(
    "max_accuracy_m", in: 5...10000, remote: true, "Fixes less accurate than this are rejected and counted.")
  public var maxAccuracy_m = 100.0
  static let unknownAccuracy_m = Setting<Double>(
    "unknown_accuracy_m", in: 1...10000, remote: true,
    """
    What the fixes of a receiver that gives no accuracy count as: RMC or GLL alone, or an HDOP that is empty or 0. \
    Above max_accuracy_m they are refused.
    """)
  public var unknownAccuracy_m = 15.0
  static let maxFixAge_s = Setting<Double>(
    "max_fix_age_s", in: 1...600, remote: true,
    """
    A fix that is older than this on arrival is rejected and counted, as far as the time is known. From the \
    third in a row on they count: up to a minute late with their own time (gps_late), else the receiver's \
    date is wrong, and they are dated by their arrival (clock_jump; docs/schedule.md). Fixes that waited \
    while the agent could not read keep their own time. With clock.confirm_s = 0 none is rejected.
    """)
  public var maxFixAge_s = 10.0
  static let maxSpeed_mps = Setting<Double>(
    "max_speed_mps", in: 10...1000, remote: true,
    """
    A fix that the vehicle could have reached only by going faster than this is kept with a flag, and \
    changes neither state nor distance.
    """)
  public var maxSpeed_mps = 120.0
  static let locateOutsideWindows = Setting<Bool>(
    "locate_outside_windows",
    """
    true: the command locate, from the server or at the box (docs/remote.md), powers the GPS for one fix \
    also outside of windows. A pause and safe mode still keep it off.
    """)
  public var locateOutsideWindows = false
  static let power = Group("power", "How the GPS module is switched on and off; docs/power.md.")
  public var power = GPSPowerSettings()

  public mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.visit(&host, Self.host)
    visitor.visit(&port, Self.port)
    visitor.visit(&device, Self.device)
    visitor.visit(&deviceTimeout_s, Self.deviceTimeout_s)
    visitor.visit(&dynamicModel, Self.dynamicModel)
    visitor.visit(&fixTimeout_s, Self.fixTimeout_s)
    visitor.visit(&firstFixTimeout_s, Self.firstFixTimeout_s)
    visitor.visit(&silenceTimeout_s, Self.silenceTimeout_s)
    visitor.visit(&retryPauseMax_s, Self.retryPauseMax_s)
    visitor.visit(&minOff_s, Self.minOff_s)
    visitor.visit(&settleAccuracy_m, Self.settleAccuracy_m)
    visitor.visit(&settleTimeout_s, Self.settleTimeout_s)
    visitor.visit(&maxAccuracy_m, Self.maxAccuracy_m)
    visitor.visit(&unknownAccuracy_m, Self.unknownAccuracy_m)
    visitor.visit(&maxFixAge_s, Self.maxFixAge_s)
    visitor.visit(&maxSpeed_mps, Self.maxSpeed_mps)
    visitor.visit(&locateOutsideWindows, Self.locateOutsideWindows)
    visitor.visit(&power, Self.power)
  }
}
