import TrackerCore

/// `OverlayState` as JSON, for the file beside the queue.
public enum OverlayDocument {
  private static let form = "godwit-overlay/1"

  public static func text(_ state: OverlayState) -> String {
    JSONWriter.object { json in
      json.member("form", form)
      if let kept = state.kept {
        json.key("kept")
        ConfigDocument.write(kept, into: &json)
      }
      if let trial = state.trial {
        json.object("trial") { json in
          json.key("config")
          ConfigDocument.write(trial.overlay, into: &json)
          json.member("boot", trial.bootID)
          json.member("began_ms", trial.began_ms)
          json.member("starts", trial.starts)
        }
      }
      if let refused = state.refused {
        json.object("refused") { json in
          json.member("version", refused.version)
          json.member("reason", refused.reason)
        }
      }
    }
  }

  /// nil for what this program does not write.
  public static func state(_ text: String) -> OverlayState? {
    guard let value = JSONReader.parse(Array(text.utf8)), value["form"]?.string == form else { return nil }
    var state = OverlayState()
    do throws(ConfigDocument.Malformed) {
      if let kept = value["kept"] { state.kept = try ConfigDocument.overlay(kept) }
      if let trial = value["trial"] {
        guard let began_ms = trial["began_ms"]?.integer, let starts = trial["starts"]?.integer,
          let bootID = trial["boot"]?.string, (0...1000).contains(starts), let config = trial["config"]
        else { return nil }
        state.trial = OverlayState.Trial(
          overlay: try ConfigDocument.overlay(config), bootID: bootID, began_ms: began_ms,
          starts: Int(starts))
      }
    } catch { return nil }
    if let refused = value["refused"] {
      guard let version = refused["version"]?.integer, let reason = refused["reason"]?.string else {
        return nil
      }
      state.refused = OverlayState.Refusal(version: version, reason: reason)
    }
    return state
  }
}
