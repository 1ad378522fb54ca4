import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("Files of further servers")
struct OtherServerTests {
  let folder = QueueFolder()

  private func write(_ name: String, _ text: String) -> String {
    let path = "\(folder.path)/\(name)"
    let file = fopen(path, "w")!
    fputs(text, file)
    fclose(file)
    return path
  }

  private func main(_ files: String...) -> String {
    let list = files.map { "\"\($0)\"" }.joined(separator: ", ")
    return write("godwit.toml", "[sync]\nurl = \"https://first.example/\"\nalso = [\(list)]\n")
  }

  private func problems(_ path: String) -> [String] {
    do throws(SettingsFileError) {
      return try SettingsFile.read(path, checkSchedule: { _ in nil }).checkFiles().map { "\($0)" }
    } catch { return error.description.split(separator: "\n").map { String($0) } }
  }

  @Test("each is read with the keys of [sync], and named by its file")
  func read() throws {
    let second = write("second.toml", "[sync]\nurl = \"https://second.example/\"\nformat = \"traccar\"\n")
    let settings = try SettingsFile.read(main(second), checkSchedule: { _ in nil }).settings
    #expect(settings.others.map(\.name) == ["second"])
    #expect(settings.others.first?.sync.format == .traccar)
    #expect(settings.others.first?.sync.threshold == 5)
    var changed = settings
    changed.others[0].sync.threshold = 6
    #expect(SettingsHash.of(settings) != SettingsHash.of(changed))
    #expect(settings.changesThatNeedRestart(to: changed) == [])
  }

  @Test("what does not belong into such a file is refused, with its place")
  func foreign() {
    let second = write(
      "second.toml",
      "device_id = \"x\"\n[gps]\nport = 1\n[sync]\nalso = [\"/etc/a.toml\"]\nbudget_day_kb = 5\n")
    let found = problems(main(second))
    #expect(found.contains { $0.hasPrefix("\(second):1: device_id: does not belong here") })
    #expect(
      found.contains {
        $0.contains(":2:")
          && $0.contains("gps: does not belong here: the file of a further server has one group, [sync]")
      })
    #expect(found.contains { $0.contains("sync.also: belongs into the main settings file") })
    #expect(
      found.contains {
        $0.contains("sync.budget_day_kb: belongs into the main settings file: it is for all servers together")
      })
    #expect(found.contains { $0.contains("sync.url: must be set") })
    #expect(found.count == 5)
  }

  @Test("names that cannot be distinguished, or are none, are refused in the main file")
  func names() {
    let found = problems(main("/etc/godwit/Second.toml", "relative.toml", "/a/x.toml", "/b/x.toml"))
    #expect(found.count == 3)
    #expect(found.allSatisfy { $0.contains("godwit.toml:3:") && $0.contains("sync.also") })
    #expect(found.last?.contains("\"x\" names two servers") == true)
  }

  @Test("a file that is missing, and a token that all can read, are reported")
  func files() {
    let none = "\(folder.path)/none.toml"
    let missing = "open of \(none) failed: No such file or directory (2)"
    #expect(problems(main(none)) == ["\(folder.path)/godwit.toml:3: sync.also: \(missing)"])
    let token = write("token", "secret")
    chmod(token, 0o644)
    let second = write("second.toml", "[sync]\nurl = \"https://s.example/\"\ntoken_file = \"\(token)\"\n")
    let found = problems(main(second))
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("\(second):3: sync.token_file: ") == true)
  }
}
