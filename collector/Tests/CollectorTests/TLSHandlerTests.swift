import Foundation
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import Collector

/// Both ends of TLS over loopback, with real certificates.
@Suite("TLS connections", .timeLimit(.minutes(10)))
struct TLSHandlerTests {
  private func withServer(
    reads: Bool = true, staysHalfOpen: Bool = false, names: String = "DNS:localhost,IP:127.0.0.1",
    isExpired: Bool = false,
    _ body: (TLSTestServer, TestCertificate) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let certificate = try TestCertificate("localhost", in: folder, for: names, isExpired: isExpired)
      let context = try certificate.server
      let server = try await TLSTestServer(reads: reads, staysHalfOpen: staysHalfOpen) { context }
      try await body(server, certificate)
      try await server.channel.close()
    }
  }

  @Test("carry 10 MB both ways in order, whoever decides when to read", arguments: [true, false])
  func large(readsByItself: Bool) async throws {
    try await withServer { server, certificate in
      let client = try await TLSTestClient(
        certificate.client, port: server.port, readsByItself: readsByItself)
      let sent = (0..<10_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) }
      async let written: Void = client.channel.writeAndFlush(ByteBuffer(bytes: sent))
      #expect(await client.read(sent.count) == sent)
      try await written
      try await client.channel.close()
    }
  }

  @Test("hand over small messages, also empty ones, as they come", arguments: [true, false])
  func small(readsByItself: Bool) async throws {
    try await withServer { server, certificate in
      let client = try await TLSTestClient(
        certificate.client, port: server.port, readsByItself: readsByItself)
      for number in 0..<20 {
        try await client.channel.writeAndFlush(ByteBuffer())
        try await client.channel.writeAndFlush(ByteBuffer(integer: Int64(number)))
        #expect(await client.read(8) == [0, 0, 0, 0, 0, 0, 0, UInt8(number)])
      }
      try await client.channel.close()
    }
  }

  @Test(
    "are made with the name or the address that was meant, and with no other",
    arguments: [
      ("DNS:localhost", "localhost", nil), ("DNS:*.example.com", "a.example.com", nil),
      ("IP:127.0.0.1", "127.0.0.1", nil), ("IP:::1", "::1", nil),
      ("DNS:localhost", "localhost.", nil), ("IP:::1", "::1%lo", nil),
      ("DNS:other.example", "localhost", "hostname mismatch"),
      ("DNS:*.example.com", "a.b.example.com", "hostname mismatch"),
      ("DNS:loc*.example.com", "local.example.com", "hostname mismatch"),
      ("DNS:127.0.0.1", "127.0.0.1", "IP address mismatch"),
      ("IP:127.0.0.2", "127.0.0.1", "IP address mismatch"),
    ] as [(String, String, String?)])
  func host(names: String, host: String, words: String?) async throws {
    try await withServer(names: names) { server, certificate in
      let client = try await TLSTestClient(
        certificate.client, host: host, port: server.port, greeting: "x")
      guard let words else {
        try await client.greeted.get()
        #expect(await client.read(1) == Array("x".utf8))
        return try await client.channel.close()
      }
      let failure = TLSFailure(description: "certificate verify failed: \(words)")
      #expect(await client.events.firstError() == failure.description)
      await #expect(throws: failure) { try await client.greeted.get() }
      #expect(await server.events.firstError()?.contains("alert") == true)
    }
  }

  @Test("end when the other side wants to renegotiate")
  func renegotiation() async throws {
    try await withServer { server, _ in
      let (client, input) = (Process(), Pipe())
      client.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      client.arguments = [
        "s_client", "-tls1_2", "-quiet", "-no_ign_eof", "-connect", "127.0.0.1:\(server.port)",
      ]
      client.standardInput = input
      (client.standardOutput, client.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
      try client.run()
      try input.fileHandleForWriting.write(contentsOf: Data("R\n".utf8))
      #expect(await server.events.firstError() == "TLS: the other side wants to renegotiate")
      client.terminate()
    }
  }

  @Test("are not made with a stranger's certificate, nor with one that is over")
  func strangers() async throws {
    try await withServer { server, certificate in
      let folder = URL(fileURLWithPath: certificate.key).deletingLastPathComponent()
      for authority in [nil, try TestCertificate("stranger", in: folder).certificate] {
        let client = try await TLSTestClient(.client(authority: authority), port: server.port)
        let words = "certificate verify failed: self-signed certificate"
        #expect(await client.events.firstError() == words)
      }
    }
    try await withServer(isExpired: true) { server, certificate in
      let client = try await TLSTestClient(certificate.client, port: server.port)
      #expect(await client.events.firstError() == "certificate verify failed: certificate has expired")
    }
  }

  @Test(
    "end with words where the other side does not speak TLS",
    arguments: [("GET / HTTP/1.1\r\n\r\n", "TLS: http request"), ("\u{1}\u{2}garbage, garbage", "TLS: ")])
  func noTLS(text: String, words: String) async throws {
    try await withServer { server, _ in
      let line = try Line(port: server.port)
      try line.send(text)
      #expect(await server.events.firstError()?.hasPrefix(words) == true)
      await line.readToEnd()
    }
  }

  /// A server without TLS that says something, or nothing, and hangs up.
  @Test(
    "fail with words where a broker does not speak TLS or hangs up",
    arguments: [
      ("SSH-2.0-OpenSSH_9.2\r\n", "TLS: wrong version number"),
      ("", TLSFailure.closedInHandshake.description),
    ])
  func otherServer(text: String, words: String) async throws {
    try await withTemporaryFolder { folder in
      let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              End { event, channel in
                guard case .bytes = event else { return }
                channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
                channel.close(promise: nil)
              })
          }
        }.bind(host: "127.0.0.1", port: 0).get()
      let context = try TestCertificate("a", in: folder).client
      let client = try await TLSTestClient(context, port: try #require(server.localAddress?.port))
      #expect(await client.events.firstError() == words)
      try await server.close()
    }
  }

  @Test("end where the other side goes in mid-handshake", arguments: [true, false])
  func cutOff(staysHalfOpen: Bool) async throws {
    try await withServer(staysHalfOpen: staysHalfOpen) { server, _ in
      do {
        // The beginning of a ClientHello.
        try Line(port: server.port).send("\u{16}\u{3}\u{1}")
      }
      #expect(await server.events.firstError() == TLSFailure.closedInHandshake.description)
    }
  }

  @Test("fail what waits for the handshake when they are closed during it")
  func closedByUs() async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0).get()
    let client = try await TLSTestClient(
      .client(authority: nil), port: try #require(server.localAddress?.port))
    let write = client.channel.writeAndFlush(ByteBuffer(string: "x")) as EventLoopFuture<Void>
    try await client.channel.close()
    await #expect(throws: ChannelError.ioOnClosedChannel) { try await write.get() }
    try await server.close()
  }

  @Test("fail a write that the other side never takes")
  func notTaken() async throws {
    try await withServer(reads: false) { server, certificate in
      let client = try await TLSTestClient(certificate.client, port: server.port, greeting: "x")
      try await client.greeted.get()
      let big = ByteBuffer(repeating: 0, count: 50_000_000)
      let write = client.channel.writeAndFlush(big) as EventLoopFuture<Void>
      #expect(try await client.channel.eventLoop.submit { !client.channel.isWritable }.get())
      try await client.channel.close()
      await #expect(throws: ChannelError.self) { try await write.get() }
    }
  }

  @Test("may be closed in one direction, and the answer still comes")
  func halfClosed() async throws {
    try await withServer(staysHalfOpen: true) { server, certificate in
      let client = try await TLSTestClient(
        certificate.client, port: server.port, readsByItself: true, greeting: "x")
      try await client.greeted.get()
      client.channel.write(ByteBuffer(string: "question"), promise: nil)
      try await client.channel.close(mode: .output)
      await #expect(throws: ChannelError.outputClosed) {
        try await client.channel.writeAndFlush(ByteBuffer(string: "more"))
      }
      #expect(await client.read(9) == Array("xquestion".utf8))
      #expect(await server.events.first { $0 == .inputClosed } != nil)
      try await client.channel.close()
    }
  }

  @Test("end when the other side says that it ends")
  func closeNotify() async throws {
    try await withServer { server, certificate in
      let client = try await TLSTestClient(certificate.client, port: server.port)
      try await client.channel.writeAndFlush(ByteBuffer(string: "x"))
      #expect(await client.read(1) == Array("x".utf8))
      try await client.channel.close()
      #expect(await server.events.firstError() == nil)
    }
  }

  @Test("have the certificate that is there when they begin, and keep it")
  func renewal() async throws {
    try await withTemporaryFolder { folder in
      let (first, second) = (
        try TestCertificate("first", in: folder), try TestCertificate("second", in: folder)
      )
      let (one, other) = (try first.client, try second.client)
      let files = try TLSCertificate(certificate: first.certificate, key: first.key)
      let clock = Locked<Int64>(0)
      let server = try await TLSTestServer {
        files.context(at: clock.with { $0 }, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      }
      let before = try await TLSTestClient(one, port: server.port)
      try await before.channel.writeAndFlush(ByteBuffer(string: "x"))
      #expect(await before.read(1) == Array("x".utf8))
      for (old, new) in [(first.certificate, second.certificate), (first.key, second.key)] {
        try FileManager.default.removeItem(atPath: old)
        try FileManager.default.copyItem(atPath: new, toPath: old)
      }
      clock.with { $0 = 2000 }
      let after = try await TLSTestClient(other, port: server.port)
      for client in [before, after] {
        try await client.channel.writeAndFlush(ByteBuffer(string: "y"))
        #expect(await client.read(1) == Array("y".utf8))
        try await client.channel.close()
      }
      try await server.channel.close()
    }
  }

  @Test(
    "are refused with TLS 1.1, and negotiate http/1.1",
    arguments: [("-tls1_1", "alert protocol version"), ("-tls1_2", "ALPN protocol: http/1.1")])
  func versions(version: String, words: String) async throws {
    try await withServer { server, _ in
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      process.arguments =
        ["s_client", "-connect", "127.0.0.1:\(server.port)", version, "-alpn", "h2,http/1.1"]
        + ["-cipher", "DEFAULT@SECLEVEL=0"]
      (process.standardOutput, process.standardError) = (output, output)
      process.standardInput = FileHandle.nullDevice
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      #expect(text.contains(words), "\(text)")
    }
  }
}
