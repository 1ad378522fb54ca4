import Foundation

/// What is kept of a password: scrypt (RFC 7914).
///
/// Written as `scrypt$N$r$p$salt$hash`, salt and hash in base 64, so that a higher cost can follow.
struct PasswordHash: Equatable, Sendable {
  /// 32 MiB and three passes: one of the equivalents that OWASP's Password Storage Cheat Sheet gives.
  struct Cost: Equatable, Sendable {
    var rounds = 1 << 15
    var blockSize = 8
    var parallelism = 3
  }

  static let salt_bytes = 16
  static let hash_bytes = 32

  var cost: Cost
  var salt: Data
  var hash: Data

  var text: String {
    "scrypt$\(cost.rounds)$\(cost.blockSize)$\(cost.parallelism)$\(salt.base64EncodedString())$\(hash.base64EncodedString())"
  }

  /// Nil for what this version cannot read.
  init?(text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "scrypt", let rounds = Int(parts[1]), let blockSize = Int(parts[2]),
      let parallelism = Int(parts[3]), let salt = Data(base64Encoded: String(parts[4])),
      let hash = Data(base64Encoded: String(parts[5])), hash.count == Self.hash_bytes
    else { return nil }
    cost = Cost(rounds: rounds, blockSize: blockSize, parallelism: parallelism)
    (self.salt, self.hash) = (salt, hash)
  }

  init(_ password: String, salt: Data = Data(Secret.random(salt_bytes)), cost: Cost = Cost()) throws {
    (self.cost, self.salt) = (cost, salt)
    hash = try Self.derive(password, salt, cost)
  }

  /// Takes as long for a password that is nearly right as for one that is all wrong.
  func isOf(_ password: String) -> Bool {
    guard let other = try? Self.derive(password, salt, cost) else { return false }
    return Digest.isSame(hash, other)
  }

  /// The same letters may be typed as one code point or as two (Unicode, NFC).
  private static func derive(_ password: String, _ salt: Data, _ cost: Cost) throws -> Data {
    let bytes = Data(password.precomposedStringWithCanonicalMapping.utf8)
    guard let hash = Digest.scrypt(bytes, salt: salt, cost: cost, bytes: hash_bytes) else {
      throw Refusal(.serviceUnavailable, "there is no memory for the password's hash: try again")
    }
    return hash
  }
}

/// What a password must be, for whoever chooses one.
enum PasswordRule {
  static let lengths = 12...256

  /// Nil where it is fit.
  static func problem(of password: String, name: String) -> String? {
    guard lengths.contains(password.unicodeScalars.count) else {
      return "a password has \(lengths.lowerBound) to \(lengths.upperBound) characters"
    }
    if password.lowercased().contains(name.lowercased()) {
      return "a password does not hold the operator's name"
    }
    if Set(password).count < 5 { return "a password has five different characters at least" }
    return nil
  }
}

/// Hashes one password at a time, away from the threads that serve requests: each takes a fraction of a second and
/// 32 MiB. Who finds too many waiting is told to come again.
final class PasswordDesk: Sendable {
  static let mostWaiting = 8

  private let queue = DispatchQueue(label: "passwords", qos: .utility)
  private let waiting = Locked(0)
  let cost: PasswordHash.Cost

  init(cost: PasswordHash.Cost = PasswordHash.Cost()) { self.cost = cost }

  func hash(_ password: String) async throws -> PasswordHash {
    let cost = cost
    return try await run { try PasswordHash(password, cost: cost) }
  }

  /// - Parameter hash: nil for a name that nobody has: it takes as long.
  func isRight(_ password: String, for hash: PasswordHash?) async throws -> Bool {
    let cost = cost
    return try await run {
      if let hash { return hash.isOf(password) }
      _ = try PasswordHash(password, cost: cost)
      return false
    }
  }

  private func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let isRoom = waiting.with { count in
      guard count < Self.mostWaiting else { return false }
      count += 1
      return true
    }
    guard isRoom else { throw Refusal(.serviceUnavailable, "too many log in at this moment: try again") }
    defer { waiting.with { $0 -= 1 } }
    return try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try work() }) }
    }
  }
}
