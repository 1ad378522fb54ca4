import CHost
import Foundation
import Testing

@Suite("Signals before the agent's loop runs")
struct EarlySignalTests {
  /// In a thread of its own, since the mask is the thread's.
  private func holdsReload(_ words: [String]) async -> Bool {
    await withCheckedContinuation { continuation in
      Thread {
        // A thread begins with the mask of the one that starts it.
        var mask = sigset_t()
        sigemptyset(&mask)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        var copies: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        chost_hold_reload(Int32(words.count), &copies)
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        for copy in copies { free(copy) }
        continuation.resume(returning: sigismember(&mask, SIGHUP) == 1)
      }.start()
    }
  }

  @Test(
    "SIGHUP waits for the agent from the first instant on; other commands end with their terminal",
    arguments: [
      (["godwit", "run"], true), (["godwit", "run", "--config", "x"], true), (["godwit", "status"], false),
      (["godwit"], false), ([], false),
    ])
  func reload(words: [String], isHeld: Bool) async {
    #expect(await holdsReload(words) == isHeld)
  }
}
