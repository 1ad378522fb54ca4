import Foundation
import HummingbirdCore
import Logging
import NIOCore

/// A certificate and its key, of two files that somebody else renews.
///
/// The files are looked at when a connection comes, once a second at most: new ones count for the next connection.
public final class TLSCertificate: Sendable {
  /// What changes when a file is written anew or replaced, by a link too.
  private struct Stamp: Equatable {
    var inode: UInt
    var size: Int
    var (seconds, nanoseconds): (Int, Int)

    init?(_ file: String) {
      var found = stat()
      guard stat(file, &found) == 0 else { return nil }
      (inode, size) = (found.st_ino, found.st_size)
      (seconds, nanoseconds) = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
    }
  }

  private struct State {
    var context: TLSContext
    var stamps: [Stamp?]
    /// Of files that were no good.
    var refused: [Stamp?]?
    var looked_ms: Int64
  }

  private let (certificate, key): (String, String)
  private let state: Locked<State>

  /// - Parameters:
  ///   - certificate: PEM, its own first and then those that lead to the root.
  ///   - key: PEM.
  public init(certificate: String, key: String) throws {
    (self.certificate, self.key) = (certificate, key)
    // Before the files are read: what changes meanwhile is read again.
    let stamps = [Stamp(certificate), Stamp(key)]
    state = Locked(
      State(
        context: try TLSContext.server(certificate: certificate, key: key), stamps: stamps, looked_ms: .min))
  }

  /// For a connection that comes now.
  func context(at now_ms: Int64, _ logger: Logger) -> TLSContext {
    state.with { state in
      // A clock that was set back must not end the looking.
      guard state.looked_ms > now_ms || now_ms - 1000 >= state.looked_ms else { return state.context }
      state.looked_ms = now_ms
      let stamps = [Stamp(certificate), Stamp(key)]
      guard stamps != state.stamps, stamps != state.refused else { return state.context }
      do {
        state.context = try TLSContext.server(certificate: certificate, key: key)
        (state.stamps, state.refused) = (stamps, nil)
        logger.notice("the certificate was renewed: new connections have it")
      } catch {
        state.refused = stamps
        logger.error("the certificate before stays in use: \(error)")
      }
      return state.context
    }
  }
}

/// Why no connection could be taken with these files.
public enum TLSError: Error, Equatable, CustomStringConvertible {
  case certificate(String)
  case key(String)
  case pair(certificate: String, key: String)

  public var description: String {
    switch self {
    case .certificate(let file):
      "cannot read a certificate from \(file): is it there, is it PEM, and may this user read it?"
    case .key(let file):
      "cannot read a key from \(file): is it there, is it PEM without a password, and may this user read it?"
    case .pair(let certificate, let key):
      "the key in \(key) is not that of the first certificate in \(certificate): name the files of one pair, the "
        + "certificate's own first"
    }
  }
}

/// Connections with TLS, each with the certificate that is there when it comes.
struct TLSServerChannel<Base: ServerChildChannel>: ServerChildChannel {
  let base: Base
  let certificate: TLSCertificate
  let now_ms: @Sendable () -> Int64

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
    channel.eventLoop.makeCompletedFuture {
      let session = try TLSSession(server: certificate.context(at: now_ms(), logger))
      try channel.pipeline.syncOperations.addHandler(TLSHandler(session))
    }.flatMap { base.setup(channel: channel, logger: logger) }
  }

  func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
