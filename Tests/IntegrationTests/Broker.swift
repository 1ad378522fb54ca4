import Foundation

/// Debian's mosquitto with a subscriber, as parts of a rig. It keeps what it holds over an orderly end.
final class Broker {
  /// One line of the subscriber: what came with one PUBLISH.
  struct Message {
    var contentType: String
    var properties: String
    var topic: String
    var payload: String

    init?(_ line: Substring) {
      let parts = line.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 4 else { return nil }
      (contentType, properties, topic, payload) = (parts[0], parts[1], parts[2], parts[3])
    }

    /// Of the records in a body of the geomony format: the last twelve digits of a uuid are the sequence's.
    var sequences: [Int64] {
      let body = (try? JSONSerialization.jsonObject(with: Data(payload.utf8))) as? [String: Any]
      let records = ["location", "geofence"].flatMap { body?[$0] as? [[String: Any]] ?? [] }
      return records.compactMap { ($0["uuid"] as? String).flatMap { Int64($0.suffix(12), radix: 16) } }
    }
  }

  static let program = URL(fileURLWithPath: "/usr/sbin/mosquitto")
  static let topic = "fleet/rig/records"

  private let rig: Rig
  private let port: Int

  static func missing() -> String? { Rig.missing(receiver: program) }

  /// - Parameters:
  ///   - listener: lines that belong to the listener.
  ///   - lines: who may do what, and limits.
  init(_ rig: Rig, listener: String = "", lines: String = "allow_anonymous true") throws {
    self.rig = rig
    port = freePort()
    // As root it would give up root, and with it the rig's folder.
    try """
    user root
    log_type all
    persistence true
    persistence_location \(rig.folder.path)/
    \(lines)
    listener \(port) 127.0.0.1
    \(listener)

    """.write(to: rig.file("mosquitto.conf"), atomically: true, encoding: .utf8)
    rig.url = url()
  }

  func url(_ scheme: String = "mqtt") -> String { "\(scheme)://127.0.0.1:\(port)/fleet/{device}/records" }

  var address: String { "127.0.0.1:\(port)" }

  func start() async throws {
    try start("mosquitto", [Broker.program.path, "-c", rig.file("mosquitto.conf").path])
    try await rig.wait(until: "mosquitto listens") { canConnect(to: port) }
  }

  /// Subscribes with a session that outlives both, and again whenever it has lost the broker.
  func subscribe(_ options: [String] = []) throws {
    let always = [
      "/usr/bin/stdbuf", "-oL", "mosquitto_sub", "-h", "127.0.0.1", "-p", "\(port)", "-V", "5", "-i",
      "subscriber", "-c", "-x",
      "4294967295", "-q", "1", "-t", "fleet/#", "-F", "%C|%P|%t|%p",
    ]
    try start("subscriber", always + options)
  }

  /// Confirms what comes to the subscriber from now on, each batch by its name.
  func startConsumer() throws {
    let script = """
      import re, subprocess, sys, time
      log, port, topic = sys.argv[1:]
      file = open(log)
      file.seek(0, 2)
      line = ""
      while True:
          line += file.readline()
          if not line.endswith("\\n"):
              time.sleep(0.02)
              continue
          for batch in re.findall(r"Godwit-Batch:([^ |]+)", line):
              subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", port, "-V", "5", "-q", "1", "-t", topic,
                              "-m", '{"ack":"%s"}' % batch], check=True)
          line = ""
      """
    let arguments = [rig.file("subscriber.log").path, "\(port)", "\(Broker.topic)/ack"]
    try start("consumer", ["/usr/bin/python3", "-c", script] + arguments)
  }

  /// docs/transport.md has it: for brokers of 3.1.1, where the batch has no name.
  func startDocumentedConsumer() throws {
    let docs = try String(contentsOf: Rig.repository.appending(path: "docs/transport.md"), encoding: .utf8)
    let blocks = docs.components(separatedBy: "```\n")
    let block = blocks.first { $0.hasPrefix("mosquitto_sub -V 311") } ?? "exit 1"
    let script = block.replacing("mosquitto_sub ", with: "mosquitto_sub -h 127.0.0.1 -p \(port) ")
      .replacing("mosquitto_pub ", with: "mosquitto_pub -h 127.0.0.1 -p \(port) ")
      .replacing("records.ndjson", with: rig.file("records.ndjson").path)
    try start("documented-consumer", ["/usr/bin/bash", "-c", script])
  }

  /// A test's thread blocks signals, and so would a program that it starts and that does not unblock them itself.
  private func start(_ name: String, _ command: [String]) throws {
    let unblock =
      "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"
    try rig.start(name, URL(fileURLWithPath: "/usr/bin/python3"), ["-c", unblock] + command)
  }

  /// On the topic of commands, to be kept for who is away.
  func publish(_ text: String) throws { try publish(options: ["-m", text]) }

  func publish(options more: [String]) throws {
    let options = ["-h", "127.0.0.1", "-p", "\(port)", "-V", "5", "-q", "1", "-t", "\(Broker.topic)/cmd"]
    let program = URL(fileURLWithPath: "/usr/bin/mosquitto_pub")
    let status = Rig.status(of: program, options + more)
    if status != 0 { throw RigError.gaveUp("mosquitto_pub: \(status)") }
  }

  func messages() -> [Message] {
    rig.text("subscriber.log").split(separator: "\n").compactMap { Message($0) }
  }
  func sequences() -> [Int64] { messages().flatMap(\.sequences) }

  /// How often the agent has connected.
  func connections() -> Int {
    let lines = rig.text("mosquitto.log").split(separator: "\n")
    return lines.filter { $0.contains("New client connected") && $0.contains(" as rig (") }.count
  }
}
