import Testing

@testable import TrackerWire

@Suite("What a broker's answer is called")
struct MQTTWordsTests {
  @Test("the words name the packet, the reason and what to look at")
  func words() {
    let unauthorised = MQTTOutcome.refused(by: .puback, code: 0x87)
    #expect(
      unauthorised.words
        == "PUBACK: not authorised (0x87); may this device publish to the topic in sync.url?")
    #expect(
      MQTTOutcome.refused(by: .connack, code: 0x87).words
        == "CONNACK: not authorised (0x87); look at the user in sync.url and at sync.token_file, which holds the password"
    )
    // 3.1.1 has no other code there.
    for (code, meaning) in [(0x80, "unspecified error (0x80)"), (0x87, "not authorised (0x87)")]
      as [(UInt8, String)]
    {
      #expect(
        MQTTOutcome.refused(by: .suback, code: code).words
          == "SUBACK: \(meaning); may this device read the topic in sync.url with /ack behind it (the broker's ACL)?"
      )
    }
    #expect(
      MQTTOutcome.refused(by: .connack, code: 0x8A).words
        == "CONNACK: banned (0x8A); ask who runs the broker")
    #expect(MQTTOutcome.refused(by: .connack, code: 0xFE).words == "CONNACK: refused (0xFE)")
    #expect(MQTTOutcome.refused(by: .disconnect, code: 0).words == "DISCONNECT: disconnected (0x00)")
    #expect(
      MQTTOutcome.tooLarge(most_bytes: 2000).words
        == "larger than the 2000 bytes that the broker takes in a packet")
    #expect(
      MQTTOutcome.notMQTT(.unexpected).words
        == "what came is not what an MQTT broker answers; is it one, and the port right?")
    #expect(
      MQTTOutcome.noSubscriber.words
        == "the broker accepts it, and no client subscribes to the topic in sync.url now (0x10), so it may be lost: give the topic a subscriber with a lasting session, or set sync.no_subscriber = \"accept\" if the broker itself stores what comes there"
    )
    #expect(MQTTOutcome.cutOff(code: 0x97).words == "DISCONNECT: quota exceeded (0x97)")
  }
}
