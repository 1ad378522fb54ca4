public struct GPSSettings: SettingGroup {
  @Setting("host", "Where gpsd listens: an address, or a name that is looked up for each connection.")
  public var host = "127.0.0.1"
  @Setting("port", in: 1...65535, "gpsd's port.")
  public var port = 2947
  @Setting(
    "device",
    """
    Where gpsd has several receivers: the one that is preferred, by the path that gpsd has for it, such as
    "/dev/ttyAMA0". Empty: the first that gives a fix.
    """)
  public var device = ""
  @Setting(
    "device_timeout_s", in: 1...600, remote: true,
    """
    If the receiver in use gives no fix for this time (or for silence_timeout_s, if that is less), another \
    takes over. The preferred one is used again once it has given fixes for the same time.
    """)
  public var deviceTimeout_s = 20.0
  @Setting(
    "dynamic_model",
    """
    How a u-blox receiver expects to be moved, such as "automotive": sent to it through gpsd at each power-on,
    and read back. Others are left alone. unchanged: nothing is sent; docs/power.md.
    """)
  public var dynamicModel = DynamicModel.unchanged
  @Setting(
    "fix_timeout_s", in: 10...3600, remote: true,
    "If there is no fix within this time, the GPS is switched off for a pause, and then tried again.")
  public var fixTimeout_s = 120.0
  @Setting(
    "first_fix_timeout_s", in: 10...3600, remote: true,
    "The same for the first GPS session of a window, when the module may have to load its almanac.")
  public var firstFixTimeout_s = 300.0
  @Setting(
    "silence_timeout_s", in: 2...600, remote: true,
    """
    If gpsd reports nothing for this time, the connection is opened again; after that the module is \
    power-cycled.
    """)
  public var silenceTimeout_s = 30.0
  @Setting(
    "retry_pause_max_s", in: 10...7200, remote: true,
    "The pause between failing GPS sessions doubles from 10 s up to this.")
  public var retryPauseMax_s = 600.0
  @Setting(
    "min_off_s", in: 0...600,
    "Once switched off, the module stays off for at least this time: some modules need it to start cleanly.")
  public var minOff_s = 5.0
  @Setting(
    "settle_accuracy_m", in: 1...1000, remote: true,
    "The first fixes after power-on are held back until one is at least this accurate …")
  public var settleAccuracy_m = 50.0
  @Setting(
    "settle_timeout_s", in: 0...300, remote: true, "… or this time has passed since the first of them.")
  public var settleTimeout_s = 10.0
  @Setting(
    "max_accuracy_m", in: 5...10000, remote: true, "Fixes less accurate than this are rejected and counted.")
  public var maxAccuracy_m = 100.0
  @Setting(
    "unknown_accuracy_m", in: 1...10000, remote: true,
    """
    What the fixes of a receiver that gives no accuracy count as: RMC or GLL alone, or an HDOP that is empty or 0. \
    Above max_accuracy_m they are refused.
    """)
  public var unknownAccuracy_m = 15.0
  @Setting(
    "max_fix_age_s", in: 1...600, remote: true,
    """
    A fix that is older than this on arrival is rejected and counted, as far as the time is known. From the \
    third in a row on they count: up to a minute late with their own time (gps_late), else the receiver's \
    date is wrong, and they are dated by their arrival (clock_jump; docs/schedule.md). Fixes that waited \
    while the agent could not read keep their own time. With clock.confirm_s = 0 none is rejected.
    """)
  public var maxFixAge_s = 10.0
  @Setting(
    "max_speed_mps", in: 10...1000, remote: true,
    """
    A fix that the vehicle could have reached only by going faster than this is kept with a flag, and \
    changes neither state nor distance.
    """)
  public var maxSpeed_mps = 120.0
  @Setting(
    "locate_outside_windows",
    """
    true: the command locate, from the server or at the box (docs/remote.md), powers the GPS for one fix \
    also outside of windows. A pause and safe mode still keep it off.
    """)
  public var locateOutsideWindows = false
  @Group("power", "How the GPS module is switched on and off; docs/power.md.")
  public var power = GPSPowerSettings()
}
