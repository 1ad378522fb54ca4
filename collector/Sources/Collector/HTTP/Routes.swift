import Foundation
import HTTPTypes
import Hummingbird

/// The endpoints. Each reads its request, asks the store and answers.
struct Routes {
  static let healthPath = "/v1/health"
  static let readyPath = "/v1/ready"
  static let enrolPath = "/v1/enrol"
  static let sessionPath = "/v1/session"

  let store: any Storage
  /// Where the devices post.
  let uploadPath: String
  let fleet: FleetReader
  var pages = PageFiles()
  var map = MapSource()
  var schema: SettingsSchema?
  var simulator: Simulator?
  /// How long records of devices stay that have no span of their own; nil: for ever.
  var keepDays: Int?
  /// Unix milliseconds.
  let now_ms: @Sendable () -> Int64
  let enrolments = EnrolmentLimit()
  let feed = FleetFeed()
  /// An empty event at least so often: who is gone is found, and a proxy and the page see that the line lives.
  var beat = CollectorOptions().beat
  let bell = Doorbell()
  let figures = IntakeFigures()
  var passwords = PasswordDesk()
  /// Of those who are known, so that a flood of strangers does not fill the queue before them.
  var knownPasswords = PasswordDesk()
  let bodies = BodyRoom()
  /// Nil: only the control socket is served.
  var connections: ConnectionLimits?
  /// Nil: nothing comes over MQTT.
  var mqtt: MQTTFigures?

  /// For whatever way records come.
  var intake: Intake { Intake(store: store, feed: feed, bell: bell, figures: figures, now_ms: now_ms) }

  /// - Parameter access: whom the paths are open to.
  func router(_ access: Access) -> Router<CollectorContext> {
    let router = Router(context: CollectorContext.self, options: .autoGenerateHeadEndpoints)
    // Outermost: refusals announce it too.
    router.add(middleware: AcceptEncodingMiddleware(path: RequestPath(uploadPath)))
    router.add(middleware: RefusalMiddleware())
    router.add(
      middleware: AccessMiddleware(
        access: access, store: store, uploadPath: RequestPath(uploadPath), now_ms: now_ms))
    router.add(middleware: OriginMiddleware())
    addReading(to: router)
    addFleet(to: router)
    addPages(to: router)
    addSessions(to: router)
    addSettings(to: router)
    addExports(to: router)
    addReports(to: router)
    addSteering(to: group(of: .operator, access, router))
    addTokens(to: group(of: .admin, access, router))
    addOperators(to: group(of: .admin, access, router))
    addWebhooks(to: group(of: .admin, access, router))
    addRetention(to: group(of: .admin, access, router))
    let routes = self
    router.group()
      .add(middleware: UploadMiddleware(access: access, store: store, figures: figures, now_ms: now_ms))
      .post(RouterPath(uploadPath)) { request, context in try await routes.upload(request, context) }
    router.post(RouterPath(Self.enrolPath)) { request, context in
      try await routes.enrol(request, context)
    }
    return router
  }

  /// What somebody of a role may do, and what is written down of it.
  private func group(
    of role: Role, _ access: Access, _ router: Router<CollectorContext>
  ) -> RouterGroup<CollectorContext> {
    router.group("/v1")
      .add(middleware: RoleMiddleware(role: role, hasTokens: access.operators != nil, store: store))
      .add(middleware: AuditMiddleware(store: store, now_ms: now_ms))
  }

  private func addReading(to router: Router<CollectorContext>) {
    let routes = self
    router.get(RouterPath(Self.healthPath)) { _, _ in Response.json(["status": "ok"]) }
    router.get(RouterPath(Self.readyPath)) { _, _ in
      // A database that cannot be asked is answered with 503 as everywhere.
      _ = try await routes.store.hasOperators()
      return Response.json(["status": "ready"])
    }
    router.get("/v1/devices") { _, _ in Response.json(try await routes.store.devices()) }
    router.get("/v1/devices/:device/records") { request, context in
      try await routes.records(request, device: Self.device(in: context))
    }
    router.get("/v1/devices/:device/gaps") { request, context in
      try await routes.gaps(request, device: Self.device(in: context))
    }
    router.get("/v1/devices/:device/config") { _, context in
      try await routes.config(device: Self.device(in: context))
    }
    router.get("/v1/devices/:device/config/history") { _, context in
      try await routes.configHistory(device: Self.device(in: context))
    }
    router.get("/v1/devices/:device/commands") { _, context in
      try await routes.commands(device: Self.device(in: context))
    }
  }

  private func addSteering(to group: RouterGroup<CollectorContext>) {
    let routes = self
    group
      .put("devices/:device/config") { request, context in
        try await routes.setConfig(request, device: Self.device(in: context), by: context.visitor)
      }
      .post("devices/:device/commands") { request, context in
        try await routes.addCommand(request, device: Self.device(in: context), by: context.visitor)
      }
      .put("config") { request, context in
        try await routes.setConfigOfMany(request, by: context.visitor)
      }
      .post("devices/:device/simulate") { request, context in
        try await routes.simulate(request, device: Self.device(in: context))
      }
      .put("devices/:device/groups") { request, context in
        try await routes.setGroups(request, device: Self.device(in: context))
      }
      .delete("devices/:device") { _, context in
        try await routes.forget(device: Self.device(in: context))
      }
  }

  private func upload(_ request: Request, _ context: some RequestContext) async throws -> Response {
    let device = try Self.device(request)
    let encoding = try ContentEncoding(request)
    let share = bodies.share()
    defer { share.giveBack() }
    let body = try encoding.decoded(
      try await Self.body(request, share), limit: Self.maxBody_bytes,
      tooLarge: Self.tooLarge(Self.maxBody_bytes))
    if encoding == .gzip { try share.take(body.count) }
    let (schema, batch) = (request.headers[.godwitSchema], request.headers[.godwitBatch])
    guard [schema, batch].allSatisfy({ $0?.utf8.count ?? 0 <= 128 }) else {
      throw Refusal(.badRequest, "the headers Godwit-Schema and Godwit-Batch have 128 characters at most")
    }
    let upload =
      Self.isCompact(request)
      ? try Upload(device: device, schema: schema, batch: batch, compact: body)
      : try Upload(device: device, schema: schema, batch: batch, body: body)
    let receipt = try await intake.take(upload, context.logger)
    // A device that names nothing else as stored may not go on as if all were well.
    if let refused = receipt.refused, receipt.ack.isEmpty { throw Refusal.conflict(refused) }
    return Response.json(receipt, adding: receipt.config.map { ["config": $0] } ?? [:])
  }

  /// As the path has it.
  static func device(in context: CollectorContext) throws -> String {
    let name = try context.parameters.require("device")
    return name.removingPercentEncoding ?? name
  }

  /// The name of a device that may be new. Throws a ``Refusal``.
  static func checked(name: String) throws -> String {
    if let fault = NameRule.fault(in: name, longest: 128) {
      throw Refusal(.badRequest, "a device's name has 1 to 128 characters: this one \(fault)")
    }
    return name
  }

  /// Those of a body that is to be an object. Throws a ``Refusal``.
  static func members(ofBody body: [UInt8]) throws -> [String: JSONValue] {
    guard let text = String(validating: body, as: UTF8.self),
      case .object(let members)? = JSONValue(text: text)
    else { throw Refusal.notJSON(body[...], else: "the body is not a JSON object") }
    return members
  }

  private static func isCompact(_ request: Request) -> Bool {
    let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
    return type == "application/x-protobuf" || type == "application/protobuf"
  }

  static func device(_ request: Request) throws -> String {
    let names = request.headers[values: .godwitDevice]
    guard let text = names.first, !text.isEmpty else {
      throw Refusal(.badRequest, "the request does not name its device: send the header Godwit-Device")
    }
    guard names.count == 1 else {
      throw Refusal(
        .badRequest, "the request names \(names.count) devices: send the header Godwit-Device once")
    }
    // Before names were encoded a % stood for itself.
    let device = text.removingPercentEncoding ?? text
    guard text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
      throw Refusal(
        .badRequest,
        "the header Godwit-Device must have characters beyond ASCII and % as UTF-8 behind % signs")
    }
    return try checked(name: device)
  }

  private func records(_ request: Request, device: String) async throws -> Response {
    let query = request.uri.queryParameters
    let after = try query["after"].map { text in
      guard let sequence = Int64(text) else {
        throw Refusal(.badRequest, "`after` must be a sequence number")
      }
      return sequence
    }
    let limit = try query["limit"].map { text in
      guard let limit = Int(text), (1...10_000).contains(limit) else {
        throw Refusal(.badRequest, "`limit` must be a number from 1 to 10000")
      }
      return limit
    }
    guard let records = try await store.records(device: device, after: after, limit: limit ?? 1000) else {
      throw Refusal.noDevice(device)
    }
    return Response.json(records)
  }

  /// One that was prepared, and never came: under a misspelt name, say.
  private func forget(device: String) async throws -> Response {
    switch try await store.forget(device: device) {
    case nil: throw Refusal.noDevice(device)
    case true?: return Response(status: .noContent)
    case false?: throw Refusal(.conflict, "the device has sent: DELETE its history, if it is to go")
    }
  }

  private func gaps(_ request: Request, device: String) async throws -> Response {
    let (from_ms, to_ms) = (try Self.time_ms("from", request), try Self.time_ms("to", request))
    guard let gaps = try await store.gaps(device: device, from: from_ms, to: to_ms) else {
      throw Refusal.noDevice(device)
    }
    return Response.json(gaps)
  }

  /// Of the query; nil where it has none.
  static func time_ms(_ key: Substring, _ request: Request) throws -> Int64? {
    try request.uri.queryParameters[key].map { text in
      guard let time_ms = Timestamp.milliseconds(String(text)) else {
        throw Refusal(.badRequest, "`\(key)` must be an RFC 3339 date and time, with + as %2B")
      }
      return time_ms
    }
  }
}

extension HTTPField.Name {
  static let godwitDevice = Self("Godwit-Device")!
  static let godwitSchema = Self("Godwit-Schema")!
  static let godwitBatch = Self("Godwit-Batch")!
}
