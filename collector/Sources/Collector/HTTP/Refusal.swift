import Hummingbird

/// A request that is not served, in words for whoever runs the device. Never holds a position, a token or a
/// value of a record, other than its uuid.
struct Refusal: Error, Equatable {
  var status: HTTPResponse.Status
  var message: String
  /// Which record of the request is at fault, from 0.
  var index: Int?
  var uuid: String?
  /// Each record that is at fault.
  var refused: [RefusedRecord]?

  init(_ status: HTTPResponse.Status, _ message: String, index: Int? = nil, uuid: String? = nil) {
    self.status = status
    self.message = message
    self.index = index
    self.uuid = uuid
  }

  /// Every record of the request has the identity of another one.
  static func conflict(_ refused: [RefusedRecord]) -> Refusal {
    var refusal = Refusal(.conflict, refused.first?.reason ?? "", uuid: refused.first?.uuid)
    refusal.refused = refused
    return refusal
  }

  static func noDevice(_ name: String) -> Refusal { Refusal(.notFound, "no such device: \(name)") }

  static func badBody(_ reason: String) -> Refusal { Refusal(.badRequest, reason) }

  /// - Parameters:
  ///   - text: of the body, or of the part that cannot be read.
  ///   - key: under which the part stands.
  static func notJSON(_ text: JSONSlices.Slice, under key: String = "", else words: String) -> Refusal {
    guard let found = JSONSlices.keyOfTooLargeNumber(text, under: key) else { return badBody(words) }
    let place = found.isEmpty ? "the body" : "`\(found.prefix(60))`"
    return badBody("\(place) has a number beyond ±1.8e308, which is more than a JSON number's double holds")
  }

  /// Nothing of the request is stored; the device is meant to send the others without this one.
  static func badRecord(_ reason: String, index: Int, uuid: String?) -> Refusal {
    Refusal(.unprocessableContent, reason, index: index, uuid: uuid.map { String($0.prefix(64)) })
  }

  fileprivate struct Body: Encodable {
    var error: String
    var index: Int?
    var uuid: String?
    var refused: [RefusedRecord]?
  }

  fileprivate func response() -> Response {
    var response = Response.json(
      Body(error: message, index: index, uuid: uuid, refused: refused), status: status)
    if status == .serviceUnavailable { response.headers[.retryAfter] = "10" }
    return response
  }
}

extension Refusal {
  /// What ``RefusalMiddleware`` answers it with.
  static func status(of error: any Error) -> HTTPResponse.Status {
    switch error {
    case let refusal as Refusal: refusal.status
    case is StorageError: .serviceUnavailable
    case is BodyCutOff: .requestTimeout
    case let error as any HTTPResponseError: error.status
    default: .internalServerError
    }
  }
}

/// The connection broke within the body, most often that of a device without a link: nobody is there to be answered.
struct BodyCutOff: Error {}

/// Turns whatever was thrown into `{"error": …}`.
struct RefusalMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let refusal as Refusal {
      return refusal.response()
    } catch let error as StorageError {
      // 503 and not 500: the device shall keep its records and come again.
      context.logger.error("database: \(error)")
      return Refusal(.serviceUnavailable, "the database refused: \(error.words); try again later").response()
    } catch is BodyCutOff {
      // For who has closed its own half only.
      return Refusal(.requestTimeout, "the body ended before its end: send it again").response()
    } catch let error as any HTTPResponseError {
      return Refusal(error.status, Self.words(error.status)).response()
    }
  }

  private static func words(_ status: HTTPResponse.Status) -> String {
    status == .notFound ? "there is nothing at this path" : status.reasonPhrase.lowercased()
  }
}
