import Foundation
import Hummingbird

/// Commands to devices, from an operator.
extension Routes {
  private static let maxCommand_bytes = 4096

  func commands(device: String) async throws -> Response {
    guard let found = try await store.commands(device: device) else {
      throw Refusal.noDevice(device)
    }
    return Response.json(found)
  }

  /// Whether the device knows the command and its arguments, the device itself says.
  func addCommand(_ request: Request, device: String, by visitor: Visitor) async throws -> Response {
    let body = try await Self.body(request)
    guard body.count <= Self.maxCommand_bytes else {
      throw Refusal(.contentTooLarge, "the command is larger than \(Self.maxCommand_bytes >> 10) KiB")
    }
    var members = try Self.members(ofBody: body)
    guard let name = members["command"]?.string, !name.isEmpty else {
      throw Refusal.badBody("the body has no text `command`, such as \"locate\"")
    }
    let id = try Self.id(members.removeValue(forKey: "id"))
    let expires_ms = try Self.expiry(members["expires"])
    let added = try await store.addCommand(
      device: Self.checked(name: device), id: id, members: members, expires_ms: expires_ms, by: visitor.name,
      at: now_ms())
    return Response.json(added, status: .created)
  }

  private static func id(_ value: JSONValue?) throws -> String? {
    guard let value else { return nil }
    let isID = value.string.map { text in
      (1...64).contains(text.utf8.count)
        && text.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
            || "-_.:".utf8.contains($0)
        }
    }
    guard isID == true, let id = value.string else {
      throw Refusal.badBody("`id` must be text of 1 to 64 ASCII letters, digits, - _ . and :")
    }
    return id
  }

  private static func expiry(_ value: JSONValue?) throws -> Int64? {
    guard let value else { return nil }
    guard let time_ms = value.string.flatMap(Timestamp.milliseconds) else {
      throw Refusal.badBody("`expires` must be an RFC 3339 date and time")
    }
    return time_ms
  }
}
