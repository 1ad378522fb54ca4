import Foundation
import Testing

@testable import Collector

@Suite("Options of MQTT", .timeLimit(.minutes(10)))
struct MQTTOptionTests {
  @Test(
    "a topic says who publishes there",
    arguments: [
      ("fleet/{device}/records", "fleet/van-7/records", "van-7"),
      ("fleet/{device}/records", "fleet/M%C3%BCller%2F1/records", "Müller/1"),
      // As in the header: what begins no byte stands for itself.
      ("fleet/{device}/records", "fleet/100%/records", "100%"), ("{device}", "van-7", "van-7"),
      ("a/{device}", "a/b", "b"),
    ])
  func device(pattern: String, topic: String, device: String) throws {
    #expect(try MQTTTopic(pattern).device(of: topic) == device)
  }

  @Test(
    "other topics are nobody's",
    arguments: ["fleet/van-7", "fleet/van-7/records/cmd", "Fleet/van-7/records", "fleet/van-7/status", ""])
  func notOurs(topic: String) throws {
    #expect(try MQTTTopic("fleet/{device}/records").device(of: topic) == nil)
  }

  @Test("a level that is no name is refused", arguments: ["fleet//records", "fleet/a%0Ab/records"])
  func noName(topic: String) throws {
    #expect(throws: Refusal.self) { try MQTTTopic("fleet/{device}/records").device(of: topic) }
  }

  @Test("what is subscribed to has a + for the device, and the group before it")
  func filter() throws {
    let topic = try MQTTTopic("fleet/{device}/records")
    #expect(topic.filter(group: nil) == "fleet/+/records")
    #expect(topic.filter(group: "collectors") == "$share/collectors/fleet/+/records")
  }

  @Test(
    "a topic that can be none is refused, with words",
    arguments: [
      (
        "fleet/records",
        "--mqtt-topic fleet/records must have {device} once, as a level of its own: fleet/{device}/records"
      ),
      (
        "fleet/x{device}",
        "--mqtt-topic fleet/x{device} must have {device} once, as a level of its own: fleet/{device}/records"
      ),
      (
        "{device}/{device}",
        "--mqtt-topic {device}/{device} must have {device} once, as a level of its own: fleet/{device}/records"
      ),
      (
        "+/{device}",
        "--mqtt-topic +/{device} is no topic: no + and no #, no control characters, no $ at its beginning, at most 60,000 bytes"
      ),
      (
        "$share/{device}",
        "--mqtt-topic $share/{device} is no topic: no + and no #, no control characters, no $ at its beginning, at most 60,000 bytes"
      ),
    ])
  func badTopic(text: String, words: String) {
    let error = #expect(throws: MQTTOptionError.self) { try MQTTTopic(text) }
    #expect(error?.description == words)
  }

  @Test(
    "a broker is read from a URL",
    arguments: [
      ("mqtt://broker", "broker:1883", false, nil), ("MQTTS://broker/", "broker:8883", true, nil),
      ("mqtts://me@broker.example.com:1234", "broker.example.com:1234", true, "me"),
      ("mqtt://[::1]:7", "[::1]:7", false, nil), ("mqtt://a%40b@h", "h:1883", false, "a@b"),
    ] as [(String, String, Bool, String?)])
  func broker(text: String, address: String, isEncrypted: Bool, user: String?) throws {
    let broker = try MQTTBroker(text)
    #expect("\(broker)" == address)
    #expect((broker.isEncrypted, broker.user) == (isEncrypted, user))
  }

  @Test("only this machine is reached in plain text without a warning")
  func exposed() throws {
    #expect(try !MQTTBroker("mqtt://127.0.0.1").isExposed)
    #expect(try !MQTTBroker("mqtt://localhost").isExposed)
    #expect(try !MQTTBroker("mqtts://broker").isExposed)
    #expect(try MQTTBroker("mqtt://broker").isExposed)
  }

  @Test(
    "what is no broker is refused",
    arguments: ["", "broker", "http://broker", "mqtt://", "mqtt://h/topic", "mqtt://h:0", "mqtt://h:70000"])
  func noBroker(text: String) {
    #expect(throws: MQTTOptionError.badURL(text)) { try MQTTBroker(text) }
  }

  @Test("a password in the URL is refused, and not repeated")
  func password() {
    let error = #expect(throws: MQTTOptionError.self) { try MQTTBroker("mqtt://me:secret@broker") }
    #expect(
      error?.description
        == "the URL of --mqtt holds a password, which every user of this machine can read: put it into a file, and name that with --mqtt-password-file"
    )
    let other = #expect(throws: MQTTOptionError.self) { try MQTTBroker("mqtt://me:secret@broker/topic") }
    #expect(
      other?.description
        == "…@broker/topic is no broker: --mqtt wants mqtt://HOST, mqtt://USER@HOST:PORT, or the same with mqtts://"
    )
  }

  @Test("client ids are the same each time, other for another collector, and such as every broker takes")
  func clientID() {
    let one = MQTTOptions.clientID(of: ["host", "fleet.sqlite", "8080"])
    #expect(one == MQTTOptions.clientID(of: ["host", "fleet.sqlite", "8080"]))
    #expect(one != MQTTOptions.clientID(of: ["host", "fleet.sqlite", "8081"]))
    #expect(one != MQTTOptions.clientID(of: ["host", "fleet.sqlite8080"]))
    #expect(one.count == 22 && one.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
  }

  private func refusal(_ arguments: String...) async throws -> String {
    try await withTemporaryFolder { folder in
      let database = folder.appending(path: "fleet.sqlite").path
      let running = try Running(["--database", database, "--port", "0"] + arguments)
      #expect(await running.status() != 0)
      return String(running.errors().prefix { $0 != "\n" })
    }
  }

  @Test("the program says what is wrong with its options")
  func program() async throws {
    #expect(try await refusal("--mqtt-group", "a") == "Error: --mqtt-group says nothing without --mqtt")
    #expect(
      try await refusal("--mqtt", "mqtt://h", "--mqtt-group", "a/b")
        == "Error: --mqtt-group wants letters, digits, - and _")
    #expect(
      try await refusal("--mqtt", "mqtt://h", "--mqtt-client-id", "a b")
        == "Error: --mqtt-client-id wants 1 to 128 letters, digits, - and _")
    #expect(
      try await refusal("--mqtt", "mqtt://h", "--mqtt-password-file", "/nonexistent")
        == "Error: --mqtt-password-file needs a user in the URL: mqtt://USER@HOST")
    let missing = try await refusal("--mqtt", "mqtt://me@h", "--mqtt-password-file", "/nonexistent")
    #expect(missing.hasPrefix("Error: cannot read the password file /nonexistent: "))
    try await withTemporaryFolder { folder in
      let empty = folder.appending(path: "password").path
      try "\n".write(toFile: empty, atomically: true, encoding: .utf8)
      let words = try await refusal("--mqtt", "mqtt://me@h", "--mqtt-password-file", empty)
      #expect(
        words == "Error: the password file \(empty) is empty: write the password into its first line")
    }
    #expect(
      try await refusal("--mqtt", "mqtts://h", "--mqtt-authority", "/dev/null")
        == "Error: cannot read a certificate from /dev/null: is it there, is it PEM, and may this user read it?"
    )
  }
}
