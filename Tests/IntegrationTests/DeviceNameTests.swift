import Foundation
import Testing

/// The real agent on a machine that has lost, or not yet got, its machine id: a box must stay reachable.
@Suite("A box without a machine id")
struct DeviceNameTests {
  private func empty(_ rig: Rig) throws -> URL {
    let file = rig.file("no-machine-id")
    try Data().write(to: file)
    return file
  }

  /// - Returns: false where the machine allows no name spaces.
  private func takeMachineID(from rig: Rig) throws -> Bool {
    let mount = "mount --bind \(try empty(rig).path) /etc/machine-id"
    rig.wrappers["agent"] = ["/usr/bin/unshare", "-m", "/bin/sh", "-c", mount + " && exec \"$@\"", "sh"]
    let shell = URL(fileURLWithPath: "/bin/sh")
    return geteuid() == 0 && Rig.status(of: shell, ["-c", "unshare -m \(mount)"]) == 0
  }

  private func identity(_ rig: Rig) -> [String?] {
    let status = rig.status()
    return ["device", "device_source"].map { status?[$0] as? String }
  }

  @Test("it runs under a name of its own, which stays when it has a machine id, until device_id is set")
  func runs() async throws {
    let rig = try Rig()
    (rig.device, rig.url, rig.gpsdPort) = ("", "", 1)
    guard try takeMachineID(from: rig) else { return }
    try await rig.startAgent("")
    let first = identity(rig)
    let name = try #require(first[0])
    let source = try #require(first[1])
    #expect(["board", "card", "hardware_address", "random"].contains(source))
    #expect(
      rig.text("agent.log").contains(
        "device_id is not set, and this machine has no machine id: the device is named \(name), from "))
    try await rig.end("agent")
    try await rig.startAgentAsWritten()
    #expect(identity(rig) == first)
    try await rig.end("agent")

    rig.wrappers["agent"] = nil
    try await rig.startAgentAsWritten()
    #expect(identity(rig) == first)
    #expect(
      rig.text("agent.log").contains(
        "this machine has a machine id now, and the device keeps the name \(name)"))
    let check = try CommandTests.godwit(["check", rig.file("godwit.toml").path])
    #expect(check.code == 0 && check.output.contains("  device    \"\(name)\"\n"), "\(check)")
    #expect(check.output.contains("  warning: this machine has a machine id now"), "\(check)")
    try await rig.end("agent")

    rig.device = "van"
    try await rig.startAgent("")
    #expect(identity(rig) == ["van", "device_id"])
    try await rig.end("agent")
  }
}
