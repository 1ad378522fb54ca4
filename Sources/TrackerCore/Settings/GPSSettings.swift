public struct GPSSettings: Equatable, Sendable {
  public var host = "127.0.0.1"
  public var port = 2947
  public var device = ""
  public var deviceTimeout_s = 20.0
  public var dynamicModel = DynamicModel.unchanged
  public var fixTimeout_s = 120.0
  public var firstFixTimeout_s = 300.0
  public var silenceTimeout_s = 30.0
  public var retryPauseMax_s = 600.0
  public var minOff_s = 5.0
  public var settleAccuracy_m = 50.0
  public var settleTimeout_s = 10.0
  public var maxAccuracy_m = 100.0
  public var maxFixAge_s = 10.0
  public var maxSpeed_mps = 120.0
  public var power = GPSPowerSettings()

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(group: "gps", "The GPS module behind gpsd.")
    visitor.text(
      "host", &host, "Where gpsd listens: an address, or a name that is looked up for each connection.")
    visitor.integer("port", &port, in: 1...65535, "gpsd's port.")
    visitor.text(
      "device", &device,
      """
      Where gpsd has several receivers: the one that is preferred, by the path that gpsd has for it, such as \
      "/dev/ttyAMA0". Empty: the first that gives a fix.
      """)
    visitor.number(
      "device_timeout_s", &deviceTimeout_s, in: 1...600,
      """
      Without a fix of the receiver in use for so long (or silence_timeout_s, if that is less) another takes over; the \
      preferred one is used again once it has given fixes for as long.
      """)
    visitor.choice(
      "dynamic_model", &dynamicModel,
      """
      How a u-blox receiver expects to be moved, such as "automotive": sent to it through gpsd at each power-on, and read \
      back. Others are left alone. unchanged: nothing is sent; docs/power.md.
      """)
    visitor.number(
      "fix_timeout_s", &fixTimeout_s, in: 10...3600,
      "Without a fix for so long, the GPS is switched off for a pause, and then tried again.")
    visitor.number(
      "first_fix_timeout_s", &firstFixTimeout_s, in: 10...3600,
      "The same for the first GPS session of a window, when the module may have to load its almanac.")
    visitor.number(
      "silence_timeout_s", &silenceTimeout_s, in: 2...600,
      "Without any report from gpsd for so long, the connection is opened again; then the module is power-cycled."
    )
    visitor.number(
      "retry_pause_max_s", &retryPauseMax_s, in: 10...7200,
      "The pause between failing GPS sessions doubles from 10 s up to this.")
    visitor.number(
      "min_off_s", &minOff_s, in: 0...600,
      "Once switched off, the module stays off at least so long: some need it to start cleanly.")
    visitor.number(
      "settle_accuracy_m", &settleAccuracy_m, in: 1...1000,
      "The first fixes after power-on are held back until one is at least so accurate …")
    visitor.number(
      "settle_timeout_s", &settleTimeout_s, in: 0...300, "… or so long has passed since the first of them.")
    visitor.number(
      "max_accuracy_m", &maxAccuracy_m, in: 5...10000,
      "Fixes less accurate than this are rejected and counted.")
    visitor.number(
      "max_fix_age_s", &maxFixAge_s, in: 1...600,
      """
      A fix that is older than this on arrival is rejected and counted, as far as the time is known. Three in a row that \
      are late by the same are no old fixes but a receiver whose date is wrong: from the third on they count, dated by \
      their arrival, with the warning clock_jump (docs/schedule.md). What waited while the agent could not read keeps its \
      own time. With clock.confirm_s = 0 none is rejected.
      """)
    visitor.number(
      "max_speed_mps", &maxSpeed_mps, in: 10...1000,
      "A fix that could be reached only faster than this is kept with a flag, and moves nothing.")
    power.visit(with: &visitor)
    visitor.end(group: "gps")
  }
}
