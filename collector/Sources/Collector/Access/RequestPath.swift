/// A path as the router takes it: its parts, of which empty ones do not count (`//`, and `/` at the end). What decides by a
/// path compares these; texts that differ may be served by the same route.
struct RequestPath: Equatable, Sendable {
  let parts: [Substring]

  init(_ path: String) { parts = path.split(separator: "/") }

  var text: String { "/" + parts.joined(separator: "/") }
}
