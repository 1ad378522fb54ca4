import Testing
import TrackerBase

@testable import TrackerIO

@Suite("What a bad settings file is reported")
struct SettingsWordingTests {
  @Test("nothing, when it is fine")
  func fine() throws {
    let file = try SettingsFile.parse("[gps]\nport = 4000\nfix_timeout_s = 60\n", name: "f") { _ in nil }
    #expect(file.settings.gps.port == 4000)
    #expect(file.settings.gps.fixTimeout_s == 60)
    #expect(try SettingsFile.parse("", name: "f", checkSchedule: { _ in nil }).settings == Settings())
  }

  @Test("an unknown setting, with the one that was meant")
  func unknown() {
    expect(
      "\n[gps]\nfix_timout_s = 1",
      "godwit.toml:3: gps.fix_timout_s: unknown setting; did you mean gps.fix_timeout_s?")
    expect("[gps]\nbananas = 1", "godwit.toml:2: gps.bananas: unknown setting")
    expect(
      "[gps]\nmax_error_m = 5",
      "godwit.toml:2: gps.max_error_m: unknown setting; did you mean track.max_error_m?")
    expect(
      "[gps]\nschedule = []",
      "godwit.toml:2: gps.schedule: unknown setting (schedule stands above the first [group]); did you mean schedule?"
    )
    expect(
      "[sync]\nproxy = \"http://p:3128\"",
      "godwit.toml:2: sync.proxy: unknown setting: the environment names the proxy, as https_proxy (docs/transport.md)"
    )
    let words = "unknown setting: write the password into a file, and name that in sync.password_file"
    expect("[sync]\npassword = \"k3y\"", "godwit.toml:2: sync.password: \(words)")
    expect("\"\\u001b[2J\" = 1", #"godwit.toml:1: "\u001b[2J": unknown setting"#)
  }

  @Test("an unknown group once, even if empty, and not each setting in it")
  func unknownGroup() {
    expect("[motoin]\n", "godwit.toml:1: motoin: unknown group; did you mean motion?")
    expect("[bananas.b]\nx = 1\ny = 2", "godwit.toml:1: bananas: unknown group")
    expect("[gps.powr]\nmode = \"none\"", "godwit.toml:1: gps.powr: unknown group; did you mean gps.power?")
  }

  @Test("an input line without its chip, and two lines on one wire")
  func inputLines() {
    expect(
      "[ignition]\nline = \"27\"", "godwit.toml:2: ignition.chip: must be set, since ignition.line is")
    expect(
      "[vibration]\nchip = \"\"\nline = \"27\"",
      "godwit.toml:2: vibration.chip: must be set, since vibration.line is")
    expect(
      "ignition = { chip = \"a\", line = \"27\" }\nvibration = { chip = \"a\", line = \"27\" }",
      "godwit.toml:2: vibration.line: is ignition.line already")
    expect(
      "gps.power = { mode = \"level\", chip = \"a\", line = \"27\" }\nignition = { chip = \"a\", line = \"27\" }",
      "godwit.toml:2: ignition.line: is gps.power.line already")
  }

  @Test(
    "an acknowledgement that the format's servers never give, and a command without a place for its token")
  func sync() {
    expect(
      "[sync]\nack = \"strict\"\nformat = \"traccar\"",
      "godwit.toml:2: sync.ack: must be \"auto\" or \"any\" with sync.format \"traccar\", whose servers do not name what they stored"
    )
    expect(
      "[sync]\ntoken_file = \"/t\"\nauth_command = [\"renew\", \"x\"]",
      "godwit.toml:3: sync.auth_command: must begin with the program's whole path, such as /usr/local/bin/…")
    expect(
      "[sync]\nauth_command = [\"/bin/renew\"]",
      "godwit.toml:2: sync.auth_command: needs sync.token_file, where the command writes the new token (or sync.password_file, sync.header_files)"
    )
  }

  @Test("a wrong type, with the right one")
  func wrongType() {
    expect(
      "gps.port = 1.0", "godwit.toml:1: gps.port: must be a whole number (1 to 65535), not a decimal number")
    expect(
      "gps.fix_timeout_s = \"60\"",
      "godwit.toml:1: gps.fix_timeout_s: must be a number (10 to 3600 s), not text; did you mean 60?")
    expect(
      "gps.fix_timeout_s = 2026-04-15",
      "godwit.toml:1: gps.fix_timeout_s: must be a number (10 to 3600 s), not a date")
    expect(
      "motion.gps_off_when_parked = 1",
      "godwit.toml:1: motion.gps_off_when_parked: must be true or false, not a whole number")
    expect("device_id = true", "godwit.toml:1: device_id: must be text between quotes, not true or false")
    expect(
      "track.sampling = 1",
      "godwit.toml:1: track.sampling: must be one of \"bounded\", \"distance\", \"all\", not a whole number")
    expect(
      "schedule = \"mon\"", "godwit.toml:1: schedule: must be a list of texts, as in [\"…\", \"…\"], not text"
    )
    expect(
      "schedule = [1]",
      "godwit.toml:1: schedule: must be a list of texts, as in [\"…\", \"…\"], not a list of something else")
    expect("gps = 1", "godwit.toml:1: gps: is a group of settings, not a whole number")
    expect("[[gps]]\nport = 1", "godwit.toml:1: gps: is a group of settings, not a list of something else")
    expect("[gps.port]\nx = 1", "godwit.toml:1: gps.port: must be a whole number (1 to 65535), not a table")
    expect("sync.headers = \"X: y\"", "godwit.toml:1: sync.headers: must be a table of texts, not text")
    expect(
      "sync.headers.X-Count = 1",
      "godwit.toml:1: sync.headers.X-Count: must be text between quotes, not a whole number")
    expect(
      "sync.headers.X.Y = \"\"", "godwit.toml:1: sync.headers.X: must be text between quotes, not a table")
  }

  @Test("a value out of range, with range and unit")
  func range() {
    expect("gps.fix_timeout_s = 5", "godwit.toml:1: gps.fix_timeout_s: 5 is outside 10 to 3600 s")
    expect("gps.fix_timeout_s = nan", "godwit.toml:1: gps.fix_timeout_s: nan is outside 10 to 3600 s")
    expect("gps.port = 70000", "godwit.toml:1: gps.port: 70000 is outside 1 to 65535")
    expect("motion.probe_share = 1.5", "godwit.toml:1: motion.probe_share: 1.5 is outside 0 to 1")
  }

  @Test("an unknown choice, with those there are")
  func choice() {
    expect(
      "track.sampling = \"boundd\"",
      #"godwit.toml:1: track.sampling: "boundd" is not one of "bounded", "distance", "all"; did you mean "bounded"?"#
    )
    expect(
      "gps.power.mode = \"x\"",
      #"godwit.toml:1: gps.power.mode: "x" is not one of "level", "pulse", "command", "none""#)
  }

  @Test("a syntax error alone, with its column")
  func syntax() {
    expect("[gps]\nport 2947", "godwit.toml:2: cannot be read as TOML: expected '=', saw '2' (column 6)")
    expect(
      "[=]",
      "godwit.toml:1: cannot be read as TOML: expected bare key starting character or string delimiter, saw '=' (column 2)"
    )
    for (text, column) in [("van-1", 13), ("Älpler", 13), ("none", 14), ("true2", 17), ("truck", 16)] {
      expect(
        "device_id = \(text)",
        "godwit.toml:1: cannot be read as TOML: not a value; text stands between straight quotes (\"…\") (column \(column))"
      )
    }
    expect(
      "bananas = 1\n[gps",
      "godwit.toml:2: cannot be read as TOML: the file ends within a text, a value or a group's name: is a closing quote or bracket missing, or was it cut? (column 5)"
    )
    expect(
      "device_id = \"van\nurl = \"x\"",
      "godwit.toml:1: cannot be read as TOML: a text ends in the line where it begins: is the closing quote missing? (column 17)"
    )
  }

  @Test(
    "a text whose closing quote is missing, in quotes of either kind, and an unseen character in a comment")
  func unclosed() {
    let words =
      "cannot be read as TOML: a text ends in the line where it begins: is the closing quote missing?"
    expect("device_id = 'van\nschedule = []", "godwit.toml:1: \(words) (column 17)")
    expect("\nschedule = ['mon-fri 09:00-17:00]\n", "godwit.toml:2: \(words) (column 34)")
    expect(
      "# a\u{7f}b\n",
      "godwit.toml:1: cannot be read as TOML: a character that nobody sees stands in a comment: remove it (column 4)"
    )
  }

  @Test(
    "true and false as other languages write them",
    arguments: [
      ("True", "true and false are written in small letters: write true"),
      ("FALSE # no", "true and false are written in small letters: write false"),
      ("yes", "not a value: write true instead of yes"), ("Off", "not a value: write false instead of Off"),
      ("s3cret", "not a value; text stands between straight quotes (\"…\")"),
    ])
  func flags(value: String, words: String) {
    expect(
      "[sync]\nallow_plaintext = \(value)\n",
      "godwit.toml:2: cannot be read as TOML: \(words) (column 19)")
  }

  @Test("all problems together, in the order of the file")
  func all() {
    expect(
      """
      schedule = ["fine", "bad"]
      [track]
      sampling = "alll"
      [gps]
      port = 0
      prot = 1
      [sync]
      url = "http://tracking.example"
      """,
      #"godwit.toml:1: schedule: "bad": no such day"#,
      #"godwit.toml:3: track.sampling: "alll" is not one of "bounded", "distance", "all"; did you mean "all"?"#,
      "godwit.toml:5: gps.port: 0 is outside 1 to 65535",
      "godwit.toml:6: gps.prot: unknown setting; did you mean gps.port?",
      "godwit.toml:8: sync.url: must be https://: over http:// anyone on the way reads the token and every position; in a network of your own set sync.allow_plaintext = true",
      checkSchedule: { $0 == "bad" ? "no such day" : nil })
  }
}

@Suite("What settings of the transport are reported")
struct TransportWordingTests {
  @Test("a client's certificate without its key, and a key without its certificate")
  func halfClientCertificate() {
    expect(
      "[sync]\nclient_cert_file = \"a\"",
      "godwit.toml:2: sync.client_key_file: must be set, since sync.client_cert_file is")
    expect(
      "[sync]\nclient_key_file = \"a\"\nclient_cert_file = \"\"",
      "godwit.toml:3: sync.client_cert_file: must be set, since sync.client_key_file is")
  }

  @Test(
    "a name that no interface can have",
    arguments: ["wwan0/1", "a b", "eth0:1", "if!eth0", "0123456789abcdef", ".."])
  func interface(name: String) {
    expect(
      "sync.interface = \"\(name)\"",
      "godwit.toml:1: sync.interface: is not a name that a network interface can have; `ip link` lists those that there are"
    )
  }
}

@Suite("What settings that do not fit together are reported")
struct SettingsFitTests {
  @Test("each malformed rule, with its own line")
  func schedule() {
    expect(
      "schedule = [\n  \"a\",\n  \"b\",\n  \"c\"\n]",
      #"godwit.toml:2: schedule: "a": no"#, #"godwit.toml:4: schedule: "c": no"#,
      checkSchedule: { $0 == "b" ? nil : "no" })
  }

  @Test("more rules than a small board can follow, with the first of them that is too much")
  func tooManyRules() {
    let rules = { (count: Int) in "schedule = [\n" + String(repeating: "\"a\",\n", count: count) + "]" }
    expect(rules(400), checkSchedule: { _ in nil })
    expect(
      rules(402),
      "godwit.toml:402: schedule: has 402 rules, and may have 400: a range such as 2026-04-15..2026-04-20 stands for many days",
      checkSchedule: { _ in nil })
  }

  @Test("a URL that leads off this machine without encryption")
  func url() {
    expect("sync.url = \"https://tracking.example\"")
    expect("sync.url = \"http://127.0.0.1:8080\"")
    expect("[sync]\nurl = \"http://tracking.example\"\nallow_plaintext = true")
    expect(
      "[sync]\nurl = \"http://tracking.example\"",
      "godwit.toml:2: sync.url: must be https://: over http:// anyone on the way reads the token and every position; in a network of your own set sync.allow_plaintext = true"
    )
    expect(
      "sync.url = \"tracking.example\"", "godwit.toml:1: sync.url: must begin with https:// or mqtts://")
  }

  @Test("MQTT: a plaintext broker, and settings that have no meaning there")
  func mqtt() {
    expect("sync.url = \"mqtts://broker.example/fleet/{device}\"")
    expect("[sync]\nurl = \"mqtt://127.0.0.1/a\"\nformat = \"compact\"\ngzip = \"auto\"")
    expect("[sync]\nurl = \"mqtts://broker.example/owntracks/fleet/{device}\"\nformat = \"owntracks\"")
    expect(
      "[sync]\nurl = \"mqtt://broker.example/a\"",
      "godwit.toml:2: sync.url: must be mqtts://: over mqtt:// anyone on the way reads the token and every position; in a network of your own set sync.allow_plaintext = true"
    )
    expect(
      "[sync]\nurl = \"mqtts://broker.example/a\"\nformat = \"traccar\"\nack = \"strict\"\ngzip = \"always\"",
      "godwit.toml:3: sync.format: \"traccar\" is for HTTP; over MQTT choose \"geomony\", \"compact\" or \"owntracks\"",
      "godwit.toml:4: sync.ack: must be \"auto\" or \"any\" with sync.format \"traccar\", whose servers do not name what they stored",
      "godwit.toml:5: sync.gzip: must be \"auto\" or \"never\" over MQTT, where nothing announces it to a receiver; the format \"compact\" is smaller still"
    )
    expect(
      "[sync]\nurl = \"mqtts://broker.example/a\"\n[sync.headers]\nX-A = \"b\"",
      "godwit.toml:3: sync.headers: MQTT has no headers: remove these")
    expect("device_id = \"van+7/#\"\nsync.url = \"mqtts://broker.example/{device}\"")
  }

  @Test("a device's name may be any that people can tell apart, of 1 to 128 characters")
  func deviceName() {
    expect("device_id = \"Müller Bagger 7 %\"")
    expect("device_id = \"\(String(repeating: "ü", count: 128))\"")
    expect(
      "device_id = \"\(String(repeating: "ü", count: 129))\"",
      "godwit.toml:1: device_id: has 129 characters, and may have 1 to 128")
    expect("device_id = \"a\\u0007\"", "godwit.toml:1: device_id: contains a control character")
    expect("device_id = \"..\"", "godwit.toml:1: device_id: is . or .., which no address can hold")
    expect(
      "device_id = \"van\\u200b\"",
      "godwit.toml:1: device_id: has a character that cannot be seen, U+200B")
  }

  @Test("what counts as delivered, and a text that cannot be wanted")
  func acknowledgement() {
    expect("[sync]\naccept = \"stored\"\nack = \"any\"")
    expect(
      "[sync]\naccept = \"stored\"\nack = \"strict\"",
      "godwit.toml:2: sync.accept: does not go with sync.ack \"strict\", which wants the records' names: leave one of them out"
    )
    expect(
      "[sync]\nurl = \"mqtts://broker.example/t\"\naccept = \"stored\"",
      "godwit.toml:3: sync.accept: does not go over MQTT, where a broker answers without a text: leave it out"
    )
    for word in ["auto", "any", "strict"] { expect("[sync]\nack = \"\(word)\"") }
    expect(
      "[sync]\nack = \"lax\"", "godwit.toml:2: sync.ack: \"lax\" is not one of \"auto\", \"any\", \"strict\"")
  }

  @Test("a power line without chip or line")
  func power() {
    expect(
      "[gps.power]\nmode = \"level\"\nline = \"\"",
      "godwit.toml:2: gps.power.chip: must be set, since gps.power.mode is \"level\"",
      "godwit.toml:3: gps.power.line: must be set, since gps.power.mode is \"level\"")
    expect("[gps.power]\nmode = \"level\"\nchip = \"gpiochip0\"\nline = \"17\"")
    expect(
      "[gps.power]\nmode = \"pulse\"\nchip = \"gpiochip0\"\nline = \"17\"",
      "godwit.toml:2: gps.power.status_line: must be set, since gps.power.mode is \"pulse\"")
    expect(
      "[gps.power]\nmode = \"pulse\"\nchip = \"gpiochip0\"\nline = \"17\"\nstatus_line = \"17\"",
      "godwit.toml:5: gps.power.status_line: is gps.power.line already")
  }

  @Test("a power command without a program, or one that would have to be looked for")
  func powerCommand() {
    expect(
      "[gps.power]\nmode = \"command\"",
      "godwit.toml:2: gps.power.command: must be set, since gps.power.mode is \"command\"")
    expect(
      "[gps.power]\nmode = \"command\"\ncommand = [\"uhubctl\", \"-a\"]",
      "godwit.toml:3: gps.power.command: must begin with the program's whole path, such as /usr/local/bin/…")
    expect("[gps.power]\nmode = \"command\"\ncommand = [\"/usr/local/bin/gps-power\"]")
  }

  @Test("a lost supply at a voltage that a low battery has, or that ends only above it")
  func supply() {
    expect(
      "[battery]\nvoltage_file = \"/v\"\nlost_below_v = 12",
      "godwit.toml:3: battery.lost_below_v: must be below battery.low_v (12 V, the default): a battery that is merely low would count as a cable that is cut"
    )
    expect(
      "[battery]\nlow_v = 23\nhysteresis_v = 16\nlost_below_v = 8",
      "godwit.toml:4: battery.lost_below_v: and battery.hysteresis_v (16 V) above it must not be more than battery.low_v (23 V): the supply would count as lost until the battery is no longer low"
    )
    expect("[battery]\nlow_v = 24\nhysteresis_v = 16\nlost_below_v = 8")
    expect("[battery]\nlost_below_v = 11.6")
  }

  @Test("a charge that would not be over before the battery is low")
  func charging() {
    expect(
      "[battery]\nvoltage_file = \"/v\"\ncharging_above_v = 12.2",
      "godwit.toml:3: battery.charging_above_v: and battery.hysteresis_v (0.4 V, the default) below it must not be less than battery.low_v (12 V, the default): a charge would not be over before the battery is low"
    )
    expect("[battery]\nvoltage_file = \"/v\"\ncharging_above_v = 12.4")
    expect("[battery]\nvoltage_file = \"/v\"\ncharging_above_v = 13.4")
  }

  @Test("the line of external power without its chip, or one that is another's")
  func externalPower() {
    expect(
      "[external_power]\nline = \"23\"",
      "godwit.toml:2: external_power.chip: must be set, since external_power.line is")
    expect(
      "[ignition]\nchip = \"c\"\nline = \"23\"\n[external_power]\nchip = \"c\"\nline = \"23\"",
      "godwit.toml:6: external_power.line: is ignition.line already")
    expect("[external_power]\nchip = \"c\"\nline = \"23\"\nactive_low = true\nbias = \"pull_up\"")
  }

  @Test("a largest pause below the first one")
  func probes() {
    expect(
      "[motion]\nprobe_interval_s = 3600",
      "godwit.toml:2: motion.probe_interval_s: motion.probe_interval_max_s (1500 s, the default) must be at least motion.probe_interval_s (3600 s)"
    )
    expect(
      "[motion]\nprobe_interval_max_s = 60\nprobe_interval_s = 90",
      "godwit.toml:2: motion.probe_interval_max_s: motion.probe_interval_max_s (60 s) must be at least motion.probe_interval_s (90 s)"
    )
    expect("[motion]\nprobe_interval_s = 90\nprobe_interval_max_s = 90")
    expect(
      "[sync]\nsync_retry_max_s = 5",
      "godwit.toml:2: sync.sync_retry_max_s: sync.sync_retry_max_s (5 s) must be at least sync.sync_retry_base_s (10 s, the default)"
    )
  }
}

/// What a settings file is reported; nothing when it is fine.
func expect(
  _ text: String, _ messages: String..., checkSchedule: (String) -> String? = { _ in nil },
  at location: SourceLocation = #_sourceLocation
) {
  var reported: [String] = []
  do throws(SettingsFileError) {
    _ = try SettingsFile.parse(text, name: "godwit.toml", checkSchedule: checkSchedule)
  } catch {
    reported = error.description.split(separator: "\n").map(String.init)
  }
  #expect(reported == messages, sourceLocation: location)
}
