/// `gps.dynamic_model`, given to the receiver through gpsd.
extension Tracker {
  mutating func perform(_ wanted: [DynamicModelSetting.Action], at now: Moment) {
    let model = settings.gps.dynamicModel.rawValue
    for action in wanted {
      switch action {
      case .hearFrames(let on): actions.append(.hearFrames(on))
      case .send(let requests, let device):
        for frames in requests { actions.append(.sendFrames(frames.flatMap(\.bytes), device: device)) }
      case .succeeded: log(.info, "the receiver has the dynamic model \"\(model)\"")
      case .failed(let device, let kept, let isNew):
        let words = "gps.dynamic_model: \(device) " + (kept.map(stays) ?? Tracker.saysNothing)
        if isNew { warn(.dynamicModel, at: now, words) } else { log(.info, words) }
      }
    }
  }

  private func stays(at kept: UInt8) -> String {
    "stays at \"\(DynamicModel.name(of: kept))\": it may not know \"\(settings.gps.dynamicModel.rawValue)\", or something else sets it too"
  }

  private static let saysNothing =
    "answers nothing: gpsd sends nothing to it where it runs with its option -b or may not write to the device; else look at the wire to the receiver's RX"
}
