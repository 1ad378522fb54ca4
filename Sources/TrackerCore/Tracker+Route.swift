import TrackerBase
import TrackerJourney
import TrackerReceiver

/// From receiver, journey and dispatch to where each of their wishes goes.
extension Tracker {
  /// What the three want since this was last called. What follows from one action comes before the next one.
  mutating func route(at now: Moment) {
    if receiver.hasWanted || journey.hasWanted || dispatch.hasWanted { routeAll(at: now) }
  }

  private mutating func routeAll(at now: Moment) {
    if receiver.hasWanted {
      var wanted = receiver.take()
      while let action = wanted.popLast() {
        perform(action, at: now)
        route(at: now)
      }
      receiver.giveBack(wanted)
    }
    if journey.hasWanted { routeJourney(at: now) }
    if dispatch.hasWanted { routeDispatch(at: now) }
  }

  private mutating func routeJourney(at now: Moment) {
    var wanted = journey.take()
    var ended: [TrackGaps.Ended] = []
    while let action = wanted.popLast() {
      switch action {
      case .record(let record):
        dispatch.add(record, at: now.boot_ms)
        ended += noteTrack(record, at: now)
      case .followed(let fix_ms):
        let over = gaps.followed(fix_ms, at: time(now))
        // As nearly never; to append nothing costs more than to ask.
        if !over.isEmpty { ended += over }
        dispatch.stateChanged(at: now.boot_ms)
      case .stateChanged: dispatch.stateChanged(at: now.boot_ms)
      case .lookAtOnce: receiver.lookAtOnce(at: now.boot_ms)
      case .warn(let name, let text): warn(name, at: now, text)
      case .log(let level, let text): log(level, text)
      }
    }
    journey.giveBack(wanted)
    // Made now, they come after what was made before.
    recordGaps(ended, at: now)
  }

  private mutating func routeDispatch(at now: Moment) {
    for action in dispatch.take() {
      switch action {
      case .perform(let action):
        if case .upload(let order, server: 0) = action, order.withStatus { commands.statusSent() }
        actions.append(action)
      // The dispatch has seen to it that the status is sent.
      case .warn(let name, let text, let times):
        warnings.count(name, at: now.boot_ms, times: times)
        if let line = warnings.line(name, text, at: now.boot_ms) { log(.warning, line) }
      case .log(let level, let text): log(level, text)
      case .lostTrack(let gap): recordLostTrack(gap, at: now)
      }
    }
  }

  private mutating func perform(_ action: ReceiverAction, at now: Moment) {
    switch action {
    case .perform(let action): actions.append(action)
    case .warn(let name, let text): warn(name, at: now, text)
    case .log(let level, let text): log(level, text)
    case .news(let content): recordNews(content, at: now)
    case .fix(let fix, let missed):
      gaps.missed = missed
      journey.fixArrived(fix, at: time(now))
      route(at: now)
      located(fix, at: now)
    case .fixOutside(let fix): located(fix, at: now)
    case .jump(let fix): record(.position(isJump: true), fix: fix, at: now)
    case .forget(let last):
      journey.forget(after: last)
      gaps.forget(after: last.time_ms, at: time(now))
    case .placeWasWrong: journey.placeWasWrong(at: time(now))
    case .timeJumped:
      journey.timeJumped(at: time(now))
      route(at: now)
      gaps.timeJumped()
    case .timeBecameKnown:
      dispatch.redate(by: time(now))
      dispatch.timeBecameKnown(at: now.boot_ms, chance: chance)
    case .wishesChanged(let changes): runStateChanged(changes, at: now)
    case .noWindow(let cause): journey.noWindow(cause, at: time(now))
    case .windowOpened:
      journey.watchBegan(at: time(now))
      route(at: now)
      dispatch.windowOpened(at: now.boot_ms, chance: chance)
    case .watchEnded(let cause): journey.watchEnded(cause, at: time(now))
    case .windowClosed: dispatch.windowEnded(at: now.boot_ms, chance: chance)
    }
  }
}
