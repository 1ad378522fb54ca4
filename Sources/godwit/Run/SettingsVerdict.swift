import TrackerBase
import TrackerIO
import TrackerWire

/// What the running agent says of its settings file, for `godwit check`: it alone may know what it ran with, since the
/// copy of that is for its own user and lies in its own state folder.
struct SettingsVerdict {
  /// Absolute.
  let file: String
  /// Why the file cannot be what somebody wrote, as a reload would say it; nil: it may be.
  let damage: String?

  static let request = "settings"

  /// By the agent.
  init(on path: String) {
    file = LastGoodSettings.absolute(path)
    var damage: String?
    do throws(SettingsFileError) { _ = try SettingsLocation.readQuietly(path) } catch {
      if case .damaged = error { damage = "\(error)" }
    }
    self.damage = damage
  }

  /// - Returns: nil where no agent answers that has this settings file.
  init?(on path: String, by settings: Settings) {
    let answer = try? ControlClient.ask(directory: settings.run.directory, line: SettingsVerdict.request)
    let head = JSONReader.parse(Array((answer ?? "").utf8))
    guard let file = head?["file"]?.string, file == LastGoodSettings.absolute(path) else { return nil }
    (self.file, damage) = (file, head?["damage"]?.string)
  }

  var json: String {
    JSONWriter.object { json in
      json.member("file", file)
      if let damage { json.member("damage", damage) }
    }
  }
}
