import Testing

@Suite("What settings of headers and of authentication are reported")
struct SettingsHeaderTests {
  @Test(
    "a secret in a header, without showing it",
    arguments: ["Authorization", "cookie", "X-Api-Key", "x-auth-token", "X_SECRET", "Proxy-Authorization"])
  func secret(name: String) {
    expect(
      "[sync.headers]\n\(name) = \"hunter2\"",
      "godwit.toml:2: sync.headers.\(name): no secrets in this file: put it into a file (sync.token_file or [sync.header_files])"
    )
  }

  @Test(
    "a header's file that cannot be meant",
    arguments: [
      ("", "X-Api Key", "\"X-Api Key\"", "is not a name that a header can have"),
      ("", "Host", "Host", "follows from sync.url: change that instead"),
      (
        "token_file = \"/t\"\n", "Authorization", "Authorization",
        "is what sync.token_file and sync.password_file make: remove one of them"
      ),
      (
        "headers = { X-Api-Version = \"1\" }\n", "x-api-version", "x-api-version",
        "stands in sync.headers too: remove one of them"
      ),
    ])
  func headerFile(more: String, name: String, shown: String, reason: String) {
    let line = 3 + more.count { $0 == "\n" }
    expect(
      "[sync]\n\(more)[sync.header_files]\n\"\(name)\" = \"/f\"",
      "godwit.toml:\(line): sync.header_files.\(shown): \(reason)")
  }

  @Test(
    "Basic authentication that is not whole, or beside a bearer token",
    arguments: [
      ("user = \"van\"", "2: sync.password_file: must be set, since sync.user is"),
      ("password_file = \"/p\"", "2: sync.user: must be set, since sync.password_file is"),
      ("password_file = \"/p\"\nuser = \"a:b\"", "3: sync.user: may not hold a colon or a control character"),
      (
        "user = \"van\"\npassword_file = \"/p\"\ntoken_file = \"/t\"",
        "3: sync.password_file: a request carries either a bearer token (sync.token_file) or a user and a password: remove one of them"
      ),
      (
        "user = \"van\"\npassword_file = \"/p\"\nurl = \"mqtts://b/t\"",
        "3: sync.password_file: is for HTTP: for MQTT remove sync.user and sync.password_file, write the user into sync.url (mqtts://USER@…) and name the password's file in sync.token_file"
      ),
      (
        "user = \"van\"\nurl = \"mqtts://b/t\"",
        "2: sync.user: is for HTTP: for MQTT remove sync.user and sync.password_file, write the user into sync.url (mqtts://USER@…) and name the password's file in sync.token_file"
      ),
    ])
  func basic(text: String, words: String) { expect("[sync]\n" + text, "godwit.toml:" + words) }

  @Test("MQTT's version has no meaning over HTTP")
  func mqttVersion() {
    expect(
      "[sync]\nurl = \"https://a/\"\nmqtt_version = \"5\"",
      "godwit.toml:3: sync.mqtt_version: is for mqtts:// in sync.url: remove it")
    expect(
      "[sync]\nurl = \"https://a/\"\nno_subscriber = \"accept\"",
      "godwit.toml:3: sync.no_subscriber: is for mqtts:// in sync.url: remove it")
    expect(
      "[sync]\nurl = \"https://a/\"\nmqtt_3_1_1_batch_size = 5",
      "godwit.toml:3: sync.mqtt_3_1_1_batch_size: is for mqtts:// in sync.url: remove it")
    expect(
      "[sync]\nurl = \"https://a/\"\ntid = \"V7\"",
      "godwit.toml:3: sync.tid: is for sync.format \"owntracks\": remove it")
    expect(
      "[sync]\nurl = \"https://a/\"\ntransitions = false",
      "godwit.toml:3: sync.transitions: is for sync.format \"owntracks\": remove it")
    expect("[sync]\nurl = \"https://a/\"\nformat = \"owntracks\"\ntid = \"V7\"\ntransitions = false")
    expect("[sync]\nurl = \"mqtts://a/t\"\nmqtt_version = \"3.1.1\"")
    expect(
      "[sync]\nurl = \"mqtts://a/t\"\nmqtt_version = \"3.1\"",
      "godwit.toml:3: sync.mqtt_version: \"3.1\" is not one of \"auto\", \"5\", \"3.1.1\"; did you mean \"3.1.1\"?"
    )
    expect(
      "[sync]\nurl = \"mqtts://a/t\"\nmqtt_version = \"3\"",
      "godwit.toml:3: sync.mqtt_version: \"3\" is not one of \"auto\", \"5\", \"3.1.1\"; did you mean \"3.1.1\"?"
    )
    expect(
      "[sync]\nurl = \"mqtts://a/t\"\nmqtt_version = \"4\"",
      "godwit.toml:3: sync.mqtt_version: \"4\" is not one of \"auto\", \"5\", \"3.1.1\"")
  }

  @Test(
    "a header that the agent writes itself, and which would contradict it",
    arguments: [
      ("Content-Length", "belongs to the connection, which the agent looks after: remove it"),
      ("transfer-encoding", "belongs to the connection, which the agent looks after: remove it"),
      ("Connection", "belongs to the connection, which the agent looks after: remove it"),
      ("EXPECT", "belongs to the connection, which the agent looks after: remove it"),
      ("Host", "follows from sync.url: change that instead"),
      ("Content-Type", "follows from sync.format: remove it"),
      ("Content-Encoding", "follows from sync.gzip: change that instead"),
      ("Godwit-Batch", "is written by the agent itself: remove it"),
      ("godwit-device", "is written by the agent itself: remove it"),
    ])
  func ownHeader(name: String, reason: String) {
    expect("[sync.headers]\n\(name) = \"5\"", "godwit.toml:2: sync.headers.\(name): \(reason)")
  }

  @Test("a header that cannot be one, without its value")
  func header() {
    expect(
      "[sync.headers]\n\"X Y\" = \"hunter2\"",
      "godwit.toml:2: sync.headers.\"X Y\": is not a name that a header can have")
    expect(
      "[sync.headers]\nX = \"hunter2\\r\\nHost: y\"",
      "godwit.toml:2: sync.headers.X: contains a control character")
    expect("[sync.headers]\nX-Fleet = \"north\"\nAuthor = \"me\"\nIdempotency-Key = \"1\"")
    expect(
      "[sync.headers]\nX = 123456789012345678901234567890",
      "godwit.toml:2: cannot be read as TOML: the value is not representable in 64 bits (column 35)"
    )
  }
}
