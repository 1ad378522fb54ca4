import Foundation
import Logging
import Testing

@testable import Collector

@Suite("TLS", .timeLimit(.minutes(10)))
struct TLSTests {
  private func replace(_ file: String, with other: String) throws {
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.copyItem(atPath: other, toPath: file)
  }

  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  @Test("a renewed pair counts for the next connection, a half one and a broken one do not")
  func renewal() async throws {
    try await withTemporaryFolder { folder in
      let (first, second) = (
        try TestCertificate("first", in: folder), try TestCertificate("second", in: folder)
      )
      let certificate = try TLSCertificate(certificate: first.certificate, key: first.key)
      let before = certificate.context(at: 0, logger)
      #expect(certificate.context(at: 1000, logger) === before)
      try replace(first.certificate, with: second.certificate)
      #expect(certificate.context(at: 2000, logger) === before, "the key is still the old one")
      try replace(first.key, with: second.key)
      #expect(certificate.context(at: 2999, logger) === before, "looked at once a second")
      let after = certificate.context(at: 3000, logger)
      #expect(after !== before)
      try Data("no certificate".utf8).write(to: URL(fileURLWithPath: first.certificate))
      #expect(certificate.context(at: 4000, logger) === after)
      // A clock that was set back.
      #expect(certificate.context(at: 0, logger) === after)
    }
  }

  @Test("files that are no pair are named, and what to do")
  func wrong() async throws {
    try await withTemporaryFolder { folder in
      let (first, second) = (
        try TestCertificate("first", in: folder), try TestCertificate("second", in: folder)
      )
      #expect(throws: TLSError.certificate("/nonexistent.pem")) {
        try TLSCertificate(certificate: "/nonexistent.pem", key: first.key)
      }
      #expect(throws: TLSError.key(first.certificate)) {
        try TLSCertificate(certificate: first.certificate, key: first.certificate)
      }
      #expect(throws: TLSError.pair(certificate: first.certificate, key: second.key)) {
        try TLSCertificate(certificate: first.certificate, key: second.key)
      }
      let running = try Running([
        "--database", try TestDatabase.argument(for: folder.path + "/fleet.sqlite"), "--port", "0",
        "--tls-certificate", first.certificate,
        "--tls-key", second.key,
      ])
      #expect(await running.status() == 1)
      #expect(
        running.errors()
          == "Error: the key in \(second.key) is not that of the first certificate in \(first.certificate): "
          + "name the files of one pair, the certificate's own first\n")
      let half = try Running([
        "--database", try TestDatabase.argument(for: folder.path + "/fleet.sqlite"), "--tls-certificate",
        first.certificate,
      ])
      #expect(await half.status() == 64)
      #expect(half.errors().contains("TLS needs both --tls-certificate and --tls-key."))
    }
  }
}
