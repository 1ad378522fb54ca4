import Collector
import Foundation
import Glibc
import ServiceLifecycle

/// Keeps a second collector off the database, and a command from opening it beside one that runs: two connections that
/// write may damage it (README, The database). It goes with the process, however that ends.
final class DatabaseLock {
  private let descriptor: Int32

  /// - Throws: `ControlError.databaseInUse` where another process has it.
  init(_ database: String) throws {
    let path = database + ".lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let code = errno
      // Without its folder there is no database to keep anybody off, and the store says so, in words that help.
      let folder = URL(fileURLWithPath: database).deletingLastPathComponent().path
      if code == ENOENT, access(folder, F_OK) != 0 { return }
      throw ControlError.cannotLock(database, words: String(cString: strerror(code)))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      throw code == EWOULDBLOCK
        ? ControlError.databaseInUse(database)
        : ControlError.cannotLock(database, words: String(cString: strerror(code)))
    }
  }

  func end() { if descriptor >= 0 { close(descriptor) } }
}

/// Where a collector that runs is asked.
enum ControlSocket {
  static func path(of database: String) -> String { database + ".control" }

  /// sockaddr_un holds 107 bytes and a NUL.
  static func fits(_ path: String) -> Bool { path.utf8.count < 108 }

  /// Has `body` ask the collector that runs; where none does, one without a network runs for as long.
  static func asking<Value: Sendable>(
    _ database: String, _ body: @escaping @Sendable (ControlClient) throws -> Value
  ) async throws -> Value {
    if PostgresAddress.isOne(database) {
      // Its collectors have nothing of their own, so that none of them need be asked.
      umask(0o077)
      let folder = NSTemporaryDirectory() + "godwit-\(UUID().uuidString)"
      guard mkdir(folder, 0o700) == 0 else {
        throw ControlError.callFailed("mkdir \(folder)", words: String(cString: strerror(errno)))
      }
      defer { rmdir(folder) }
      return try await serving(try Store(database: database), at: folder + "/control", body)
    }
    guard access(database, F_OK) == 0 else { throw ControlError.noDatabase(database) }
    try becomeOwner(of: database)
    let path = path(of: database)
    guard fits(path) else { throw ControlError.pathTooLong(path) }
    let client = ControlClient(path: path)
    let lock: DatabaseLock
    do { lock = try DatabaseLock(database) } catch ControlError.databaseInUse { return try body(client) }
    defer { lock.end() }
    umask(0o077)
    return try await serving(try Store(path: database), at: path, body)
  }

  /// Has `body` ask a collector without a network, which runs for as long.
  private static func serving<Value: Sendable>(
    _ store: Store, at path: String, _ body: @escaping @Sendable (ControlClient) throws -> Value
  ) async throws -> Value {
    defer {
      try? store.close()
      unlink(path)
    }
    let client = ControlClient(path: path)
    let (ready, continuation) = AsyncStream.makeStream(of: Void.self)
    let control = makeControl(store: store, socket: path) { continuation.yield() }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await control.run()
      }
      for await _ in ready { break }
      let result = Result { try body(client) }
      group.cancelAll()
      while let ended = await group.nextResult() {
        // How it ends once it is no longer needed does not matter; why it did not begin does.
        if case .failure(let error) = result, case .failure(let cause) = ended, error is ControlError,
          !(cause is CancellationError)
        {
          throw cause
        }
      }
      return try result.get()
    }
  }

  /// Root works as the database's owner: what is made beside it must be the collector's own.
  static func becomeOwner(of database: String) throws {
    var info = stat()
    guard geteuid() == 0, stat(database, &info) == 0, info.st_uid != 0 else { return }
    guard setgroups(0, nil) == 0, setgid(info.st_gid) == 0, setuid(info.st_uid) == 0 else {
      throw ControlError.callFailed("setuid", words: String(cString: strerror(errno)))
    }
  }
}

/// Asks over the socket: a request of HTTP/1.1, and the whole answer.
struct ControlClient: Sendable {
  let path: String

  /// - Returns: the body of an answer that is no refusal.
  func ask<Value: Decodable>(_ method: String, _ target: String, _ body: String = "") throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(answer(method, target, body)))
  }

  @discardableResult
  func answer(_ method: String, _ target: String, _ body: String = "") throws -> [UInt8] {
    let descriptor = try connected()
    defer { close(descriptor) }
    let head =
      "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    try send(Array((head + body).utf8), to: descriptor)
    return try Self.body(of: receive(from: descriptor))
  }

  private func connected() throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw failure("socket") }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      let error =
        errno == ENOENT || errno == ECONNREFUSED ? ControlError.noSocket(path) : failure("connect")
      close(descriptor)
      throw error
    }
    return descriptor
  }

  private func send(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw failure("send") }
      rest = rest.dropFirst(count)
    }
  }

  private func receive(from descriptor: Int32) throws -> [UInt8] {
    var (all, piece) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while true {
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count >= 0 else { throw failure("recv") }
      if count == 0 { return all }
      all += piece.prefix(count)
    }
  }

  private func failure(_ call: String) -> ControlError {
    .callFailed("\(call) \(path)", words: String(cString: strerror(errno)))
  }

  private struct Words: Decodable { var error: String }

  /// The collector gives the length of every answer, so nothing of it is chunked.
  private static func body(of answer: [UInt8]) throws -> [UInt8] {
    let end: [UInt8] = [13, 10, 13, 10]
    guard let place = answer.firstRange(of: end),
      let status = String(decoding: answer[..<place.lowerBound], as: UTF8.self).split(separator: " ")
        .dropFirst()
        .first.flatMap({ Int($0) })
    else { throw ControlError.brokenAnswer }
    let body = Array(answer[place.upperBound...])
    guard (200..<300).contains(status) else {
      let words = try? JSONDecoder().decode(Words.self, from: Data(body)).error
      throw ControlError.refused(words ?? "the collector answers \(status)")
    }
    return body
  }
}

/// Why a command could not be done.
enum ControlError: Error, CustomStringConvertible {
  case noDatabase(String)
  case databaseInUse(String)
  case cannotLock(_ database: String, words: String)
  case noSocket(String)
  case pathTooLong(String)
  case callFailed(_ call: String, words: String)
  case brokenAnswer
  case refused(String)

  var description: String {
    switch self {
    case .noDatabase(let path):
      "there is no database \(path): name it with --database; the collector makes it at its first start"
    case .databaseInUse(let path):
      "another collector has the database \(path) open: stop it first, or ask that one"
    case .cannotLock(let path, let words):
      "cannot lock \(path).lock: \(words); without it two programs might write to the database at once, and "
        + "damage it: it must be a file of the database's owner (sudo chown --reference=\(path) \(path).lock)"
    case .noSocket(let path):
      "a program has the database open and does not listen at \(path): if it is a collector, restart it"
    case .pathTooLong(let path):
      "the path \(path) is longer than a socket's 107 bytes: move the database to a shorter one"
    case .callFailed(let call, let words): "\(call): \(words)"
    case .brokenAnswer: "the collector's answer is not whole: it ended; ask again"
    case .refused(let words): words
    }
  }
}
