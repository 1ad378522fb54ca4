import Foundation
import Hummingbird

/// A box that is let in by its code.
extension Routes {
  private static let nonceLengths = 16...128

  func enrol(_ request: Request, _ context: some RequestContext) async throws -> Response {
    let body = try await Self.body(request, most_bytes: Self.maxOpenBody_bytes)
    let members = try Self.members(ofBody: body)
    guard let text = members["code"]?.string else { throw Refusal.badBody("the body has no text `code`") }
    guard let nonce = members["nonce"]?.string, Self.nonceLengths.contains(nonce.utf8.count) else {
      throw Refusal.badBody(
        "the body needs a text `nonce` of \(Self.nonceLengths.lowerBound) to \(Self.nonceLengths.upperBound) bytes, "
          + "drawn by chance and kept until the token is: with it the box may ask again")
    }
    let wanted = try members["device"].map { value in
      guard let name = value.string else { throw Refusal.badBody("`device` must be the name of the box") }
      return try Self.checked(name: name)
    }
    let outcome =
      try await EnrolmentCode.plain(text)
      .asyncMap { try await store.enrol(code: $0, nonce: nonce, wanted: wanted, at: now_ms()) } ?? .unknown
    return try answer(outcome, context)
  }

  private func answer(_ outcome: EnrolmentOutcome, _ context: some RequestContext) throws -> Response {
    switch outcome {
    case .enrolled(let enrolment, let isAgain):
      context.logger.notice("device \(enrolment.device): enrolled\(isAgain ? ", asked again" : "")")
      return Response.json(enrolment)
    case .nameless:
      throw Refusal.badBody(
        "the code is for no one device: the body needs a text `device`, the name of the box")
    case .taken(let name):
      context.logger.warning(
        "device \(name): somebody else wants its name, or it itself with a code for any box")
      throw Refusal(
        .conflict,
        "there is a device of this name: have a code made for it (godwit-collector enrol-code make --for NAME)"
      )
    case .unknown: return try refuse("the code is not known here: is it typed as it was given?", context)
    case .used: return try refuse("the code was used: have another one made", context)
    case .expired: return try refuse("the code has expired: have another one made", context)
    }
  }

  private func refuse(_ words: String, _ context: some RequestContext) throws -> Response {
    switch enrolments.refused(at: now_ms()) {
    case .said(let count):
      context.logger.warning("an enrolment is refused: \(words); \(count) since the start")
      throw Refusal(.forbidden, words)
    case .tooMany(let isFirst, let count):
      if isFirst { context.logger.warning("enrolments are refused too often: \(count) since the start") }
      var response = Response.json(
        ["error": "codes are refused too often here: try again in a minute"], status: .tooManyRequests)
      response.headers[.retryAfter] = "60"
      return response
    }
  }
}

extension Optional where Wrapped: Sendable {
  fileprivate func asyncMap<Value>(_ transform: (Wrapped) async throws -> Value) async rethrows -> Value? {
    guard let self else { return nil }
    return try await transform(self)
  }
}
