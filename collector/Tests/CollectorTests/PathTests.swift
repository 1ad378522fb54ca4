import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import Collector

/// Other ways of writing a path, which the router takes for the same.
@Suite("Paths")
struct PathTests {
  @Test(
    "a device's token is asked for however the path is written, also of who is logged in",
    arguments: [
      "/v1/locations", "/v1/locations/", "//v1/locations", "/v1//locations//", "/v1/locations/?a=b",
    ])
  func upload(path: String) async throws {
    try await withCollector(tokens: "shared", deviceTokens: true) { client, store in
      let hash = try PasswordHash("correct horse", cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
      for (name, role) in [("root", Role.admin), ("victor", .viewer)] {
        #expect(try await store.addOperator(name, role: role, hash, at: now_ms))
      }
      let records = body([record(uuid(1))])
      for name in ["root", "victor"] {
        let headers = try await client.browser(of: name).changing
        #expect(try await client.post(records, path: path, headers: headers).status == 401)
      }
      let own = try await store.issueToken(to: "van-8", at: now_ms).token
      let other = try await client.post(records, path: path, headers: ["Authorization": "Bearer \(own)"])
      #expect(other.status == 403)
      #expect(try await store.devices().map(\.records) == [0])
      let right = try await client.post(records, path: path, headers: ["Authorization": "Bearer shared"])
      #expect(right.status == 200 && right.headers[.acceptEncoding] == "gzip")
    }
  }

  @Test("a path of the collector's own choice is the same", arguments: ["/in//put", "/in/put/"])
  func own(path: String) async throws {
    try await withCollector(tokens: "shared", path: path) { client, _ async throws in
      for path in ["/in/put", "//in/put/"] {
        #expect(try await client.post(body([]), path: path).status == 401)
        let headers = ["Authorization": "Bearer shared"]
        #expect(try await client.post(body([]), path: path, headers: headers).status == 200)
      }
    }
  }

  @Test("what is closed is closed, and what is open open, however it is written")
  func others() async throws {
    try await withCollector(tokens: "shared") { client, _ async throws in
      for path in [
        "//v1/fleet", "/v1/fleet/", "/pages/../v1/fleet", "//v1//devices/van-7//records", "/metrics/",
      ] {
        let answer = try await client.get(path)
        #expect([401, 404].contains(answer.status) && !answer.text.hasPrefix("["), "\(path)")
      }
      for path in ["/v1/health/", "//v1/ready", "/v1//session"] {
        #expect(try await client.get(path).status == 200, "\(path)")
      }
      #expect(try await client.post(#"{"code":"x"}"#, path: "/v1/enrol/").status == 400)
    }
  }
}

@Suite("The collector's name")
struct LocalHostTests {
  @Test(
    "is localhost or an address",
    arguments: [
      ("localhost", true), ("LOCALHOST:8080", true), ("127.0.0.1", true), ("192.168.1.2:8080", true),
      ("[::1]", true), ("[fe80::1]:443", true), ("fleet.example.com", false),
      ("localhost.evil.example", false),
      ("127.0.0.1.evil.example:8080", false), ("1", false), ("0x7f000001", false), ("::1", false),
      ("[::1].evil.example", false), ("localhost:80@evil.example", false), ("", false),
    ])
  func isLocal(host: String, expected: Bool) {
    #expect(LocalHost.isLocal(host) == expected)
  }

  private func ask(
    _ method: HTTPRequest.Method, _ path: String, _ host: String, _ port: Int, headers: HTTPFields = [:],
    _ text: String = ""
  ) async throws -> (status: Int, text: String) {
    let answer = try await TestClient(port: port).execute(
      uri: path, method: method, authority: host, headers: headers, body: ByteBuffer(string: text))
    return (answer.status.code, String(buffer: answer.body))
  }

  @Test("is asked for where nothing else is: the page of another name would read and steer otherwise")
  func rebinding() async throws {
    try await withCollector { client, store in
      let (evil, port) = ("evil.example:8080", client.port)
      let own: HTTPFields = [
        .origin: "http://\(evil)", .contentType: "application/json", .godwitDevice: "van-7",
      ]
      for (method, path) in [(.get, "/v1/fleet"), (.get, "/"), (.get, "/v1/session"), (.get, "//v1/events")]
        as [(HTTPRequest.Method, String)]
      {
        let answer = try await ask(method, path, evil, port)
        #expect(
          answer.status == 403 && answer.text.contains("only to be had as localhost"), "\(path) \(answer)")
      }
      let command = #"{"command":"sync"}"#
      let path = "/v1/devices/van-7/commands"
      #expect(try await ask(.post, path, evil, port, headers: own, command).status == 403)
      #expect(try await ask(.post, "/v1/locations", evil, port, headers: own, body([])).status == 403)
      #expect(try await store.devices().isEmpty)
      // Devices and balancers may call it as they like.
      #expect(try await ask(.get, "/v1/ready", evil, port).status == 200)
      let device: HTTPFields = [.godwitDevice: "van-7"]
      #expect(try await ask(.post, "/v1/locations", evil, port, headers: device, body([])).status == 200)
      for host in ["localhost:\(port)", "127.0.0.1", "[::1]:1"] {
        #expect(try await ask(.get, "/v1/fleet", host, port).status == 200, "\(host)")
      }
    }
  }

  @Test("is asked for where no token opens the reading, and not once there is an account or a token")
  func closed() async throws {
    try await withCollector(operators: "boss") { client, store in
      #expect(try await ask(.get, "/v1/fleet", "evil.example", client.port).status == 403)
      let boss: HTTPFields = [.authorization: "Bearer boss"]
      #expect(try await ask(.get, "/v1/fleet", "fleet.example", client.port, headers: boss).status == 200)
      let hash = try PasswordHash("correct horse", cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
      #expect(try await store.addOperator("root", role: .admin, hash, at: now_ms))
      #expect(try await ask(.get, "/v1/fleet", "fleet.example", client.port).status == 401)
      #expect(try await ask(.get, "/v1/session", "fleet.example", client.port).text == #"{"accounts":true}"#)
    }
  }
}
