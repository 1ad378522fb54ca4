import DriveGenerator
import Testing

@Suite("Power of the simulated module")
struct ModulePowerTests {
  /// The outputs of `seconds` epochs under open sky.
  private func outputs(_ power: inout ModulePower, _ seconds: Int, sky: Bool = true) -> [ModulePower.Output] {
    (0..<seconds).map { _ in power.epochPassed(hasSky: sky) }
  }

  @Test(
    "cold at first, warm after a short time off, cold again after a long one", arguments: [(99, 2), (100, 8)])
  func starts(off_s: Int, search_s: Int) {
    var power = ModulePower(coldStart_s: 8, warmStart_s: 2, warmWithin_s: 100)
    #expect(outputs(&power, 3) == [.silent, .silent, .silent])
    power.lineRead(isOn: true)
    let first = outputs(&power, 10)
    #expect(first.filter { $0 == .searching }.count == 8 && first.last == .tracking)
    power.lineRead(isOn: false)
    #expect(outputs(&power, off_s).allSatisfy { $0 == .silent })
    power.lineRead(isOn: true)
    let second = outputs(&power, 10)
    #expect(second.filter { $0 == .searching }.count == search_s && second.last == .tracking)
  }

  @Test("without sky the search does not get on")
  func tunnel() {
    var power = ModulePower(coldStart_s: 2, warmStart_s: 2)
    power.lineRead(isOn: true)
    #expect(outputs(&power, 50, sky: false).allSatisfy { $0 == .searching })
    #expect(outputs(&power, 3) == [.searching, .searching, .tracking])
  }

  @Test("switched off in mid-search the next start is cold again")
  func interrupted() {
    var power = ModulePower(coldStart_s: 8, warmStart_s: 2)
    power.lineRead(isOn: true)
    _ = outputs(&power, 5)
    power.lineRead(isOn: false)
    power.lineRead(isOn: true)
    #expect(outputs(&power, 9).filter { $0 == .searching }.count == 8)
  }

  @Test("the same level again changes nothing")
  func sameLevel() {
    var power = ModulePower(coldStart_s: 2, warmStart_s: 1)
    power.lineRead(isOn: true)
    _ = outputs(&power, 3)
    power.lineRead(isOn: true)
    #expect(outputs(&power, 1) == [.tracking])
  }
}
