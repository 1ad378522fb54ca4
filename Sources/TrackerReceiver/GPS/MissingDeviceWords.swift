import TrackerBase

/// What to do where gpsd lacks a receiver; for the agent's log and `godwit check` alike.
public enum MissingDeviceWords {
  public static let every =
    "gpsd has no device: give it one with sudo godwit-setup --gps-device DEVICE (or --hat NAME), or in DEVICES of /etc/default/gpsd; one that is named there was missing when gpsd opened it: systemctl restart gpsd once it is there"

  /// - Parameter names: of devices that are nowhere on this machine.
  public static func absent(_ names: String) -> String {
    "\(names) is not there: is the receiver plugged in? ls /dev/serial/by-id shows what is; give gpsd that with sudo godwit-setup --gps-device"
  }

  /// - Parameter names: of those that it has.
  public static func preferred(_ device: String, names: String) -> String {
    "gps.device: gpsd does not have \(SettingText.shown(device)), but \(names): write one of these, or give it to gpsd with sudo godwit-setup --gps-device"
  }
}
