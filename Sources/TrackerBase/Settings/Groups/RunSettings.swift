/// Where the running agent shows itself.
public struct RunSettings: SettingGroup {
  public enum LogLevel: String, SettingChoice, Comparable {
    case error, warning, notice, info, debug

    public static func < (a: LogLevel, b: LogLevel) -> Bool {
      allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
  }

  @Setting(
    "directory", restart: true,
    "Folder, best in memory, of status.json and of the control socket. systemd makes /run/godwit.")
  public var directory = "/run/godwit"
  @Setting("log_level", remote: true, "The least important messages that are written to the journal.")
  public var logLevel = LogLevel.info
}
