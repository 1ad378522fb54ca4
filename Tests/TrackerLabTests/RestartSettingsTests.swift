import Testing
import TrackerBase

@Suite("Settings that need a restart")
struct RestartSettingsTests {
  private static let expected = [
    "gps.power.mode", "gps.power.chip", "gps.power.line", "gps.power.active_low", "gps.power.pulse_ms",
    "gps.power.status_line", "gps.power.status_active_low", "gps.power.status_timeout_s", "gps.power.command",
    "queue.path", "sync.also", "run.directory",
  ]

  @Test("are these")
  func list() {
    #expect(SettingsListing.lines(of: Settings()).filter(\.needsRestart).map(\.key) == Self.expected)
  }

  @Test(
    "are named when one of them alone changes, and no other setting is",
    arguments: SettingsListing.lines(of: Settings()).map(\.key))
  func each(key: String) {
    let changed = ChangedSettings.of(Settings(), key: key)
    #expect(changed != Settings())
    let named = Settings().changesThatNeedRestart(to: changed)
    #expect(named == (Self.expected.contains(key) ? [key] : []))
    #expect(changed.changesThatNeedRestart(to: changed) == [])
  }

  @Test("of a further server's file the name is held, and not the folder")
  func also() {
    var (old, moved, other) = (Settings(), Settings(), Settings())
    old.sync.also = ["/etc/godwit/second.toml"]
    moved.sync.also = ["/opt/second.toml"]
    other.sync.also = ["/etc/godwit/third.toml"]
    #expect(old.changesThatNeedRestart(to: moved) == [])
    #expect(old.changesThatNeedRestart(to: other) == ["sync.also"])
    other.queue.path = "/data/queue.db"
    #expect(old.changesThatNeedRestart(to: other) == ["queue.path", "sync.also"])
  }

  @Test("say so in their doc, and no other does")
  func doc() {
    let lines = ReferenceWriter.text().replacing("\n# ", with: " ")
    #expect(lines.split(separator: "A change needs a restart.").count == Self.expected.count + 1)
    let doc = """

      # The queue file. Its folder must be writable and on storage that honours a flush. A change needs a
      # restart.
      # path = "/var/lib/godwit/queue.db"

      """
    #expect(ReferenceWriter.text().contains(doc))
  }
}
