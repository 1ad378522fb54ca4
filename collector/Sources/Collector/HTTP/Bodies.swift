import Hummingbird

/// Room in memory for the bodies of uploads, from their first byte until their records are stored.
final class BodyRoom: Sendable {
  /// Sixteen bodies of the greatest length, or some thousands of the usual one.
  static let most_bytes = 16 * Routes.maxBody_bytes

  private let taken_bytes = Locked(0)

  /// What one request has of it.
  final class Share: Sendable {
    private let room: BodyRoom
    private let own_bytes = Locked(0)

    fileprivate init(_ room: BodyRoom) { self.room = room }

    func take(_ bytes: Int) throws {
      let fits = room.taken_bytes.with { taken in
        guard taken + bytes <= BodyRoom.most_bytes else { return false }
        taken += bytes
        return true
      }
      guard fits else {
        throw Refusal(.serviceUnavailable, "too many bodies are being received: send it again later")
      }
      own_bytes.with { $0 += bytes }
    }

    func giveBack() {
      let bytes = own_bytes.with { own in
        defer { own = 0 }
        return own
      }
      room.taken_bytes.with { $0 -= bytes }
    }
  }

  func share() -> Share { Share(self) }
}

extension Routes {
  static let maxBody_bytes = 8 << 20
  /// Of a login and an enrolment, which anyone may send.
  static let maxOpenBody_bytes = 16 << 10

  /// - Parameter share: nil for those whose sender is known, and few.
  static func body(
    _ request: Request, _ share: BodyRoom.Share? = nil, most_bytes: Int = maxBody_bytes
  ) async throws -> [UInt8] {
    let length = request.headers[.contentLength].flatMap { Int($0) }
    if let length, length > most_bytes { throw tooLarge(most_bytes) }
    var body: [UInt8] = []
    do {
      for try await part in request.body {
        guard body.count + part.readableBytes <= most_bytes else { throw tooLarge(most_bytes) }
        try share?.take(part.readableBytes)
        if body.isEmpty { body.reserveCapacity(length ?? part.readableBytes) }
        body.append(contentsOf: part.readableBytesView)
      }
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      // A parser's error is one with a status as well.
      throw BodyCutOff()
    }
    return body
  }

  static func tooLarge(_ most_bytes: Int) -> Refusal {
    Refusal(
      .contentTooLarge,
      most_bytes == maxBody_bytes
        ? "the body is larger than \(most_bytes >> 20) MiB: send fewer records at a time"
        : "the body is larger than \(most_bytes >> 10) KiB")
  }
}
