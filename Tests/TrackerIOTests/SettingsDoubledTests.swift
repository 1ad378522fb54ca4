import Testing

/// Mistakes beside a setting that stands twice, at which TOML ends.
@Suite("What a settings file with a doubled setting is reported")
struct SettingsDoubledTests {
  @Test("a duplicate, with the line of the first")
  func duplicate() {
    expect(
      "[gps]\nport = 1\n[run]\n[gps.power]\nline = \"1\"\n\nline = \"2\"",
      "godwit.toml:7: gps.power.line: this is set twice, first in line 5")
    expect("[gps]\n[run]\n[gps]\n", "godwit.toml:3: gps: this group is opened twice, first in line 1")
    expect(
      "[gps.power]\n[run]\n[gps.power]",
      "godwit.toml:3: gps.power: this group is opened twice, first in line 1")
    expect("gps.port = 1\ngps.port = 2", "godwit.toml:2: gps.port: this is set twice, first in line 1")
    // Nobody knows which mode is meant, so that it has no line is not told.
    expect(
      "[gps.power]\nmode = \"level\"\nsettle_ms = -1\nmode = \"none\"",
      "godwit.toml:3: gps.power.settle_ms: -1 is outside 0 to 10000 ms",
      "godwit.toml:4: gps.power.mode: this is set twice, first in line 2")
  }

  @Test("beside a duplicate all other mistakes, above and below it, in the order of the file")
  func besideDuplicate() {
    expect(
      """
      schedule = ["mon-xyz 09:00-17:00"]
      [track]
      max_error_m = 5
      max_error_m = [
        # of two lines
        6]
      colour = "x"
      [sync]
      url = "ftp://x/"
      [track]
      max_interval_s = -1
      [gps]
      port = 1
      port = 70000
      """,
      #"godwit.toml:1: schedule: "mon-xyz 09:00-17:00": "xyz" is not a day: write 1 (Sunday) to 7 (Saturday), or sun to sat"#,
      "godwit.toml:4: track.max_error_m: this is set twice, first in line 3",
      "godwit.toml:7: track.colour: unknown setting",
      "godwit.toml:9: sync.url: must begin with https:// or mqtts://",
      "godwit.toml:10: track: this group is opened twice, first in line 2",
      "godwit.toml:11: track.max_interval_s: -1 is outside 1 to 3600 s",
      "godwit.toml:14: gps.port: this is set twice, first in line 13")
  }

  @Test("what is wrong with a doubled setting itself is told, and nothing that follows from it for others")
  func doubledItself() {
    expect(
      "[sync]\nurl = \"ftp://x/\"\nurl = \"https://x.example/\"\n",
      "godwit.toml:2: sync.url: must begin with https:// or mqtts://",
      "godwit.toml:3: sync.url: this is set twice, first in line 2")
  }

  @Test("what can be read no further than to a syntax error below a duplicate")
  func syntaxBelowDuplicate() {
    expect(
      "[gps]\nport = 0\nport = 2\nfix_timeout_s = 60\n\n[=]\nurl = 1",
      "godwit.toml:2: gps.port: 0 is outside 1 to 65535",
      "godwit.toml:3: gps.port: this is set twice, first in line 2",
      "godwit.toml:6: cannot be read as TOML: expected bare key starting character or string delimiter, saw '=' (column 2)"
    )
  }
}
