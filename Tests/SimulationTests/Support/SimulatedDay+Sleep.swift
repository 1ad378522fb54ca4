extension SimulatedDay {
  /// A board that was told to goes off, and something starts it.
  func sleep() {
    guard let sleep = world.sleep else { return }
    world.sleep = nil
    world.clock.advance(to: sleep.on_ms)
    world.reboot()
    // Set by the clock with the alarm: right, and nobody vouches for it.
    world.clock.wallOffset_ms = SimulatedWorld.start_ms
    world.isSynchronised = false
    clockSetAt_ms = world.clock.now_ms + 30_000
    world.clock.advance(to: world.clock.now_ms + 12_000)
    world.noteLog("— the board is on again")
  }
}
