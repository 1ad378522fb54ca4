import Foundation
import Testing
import TrackerBase
import TrackerReceiver

@testable import TrackerIO
@testable import godwit

@Suite("What the doctor says")
struct DoctorReportTests {
  private let report = DoctorReport(
    device: "van-12", version: "0.2.0", time_ms: 1_772_434_800_000,
    findings: [
      .pass(.settings, "/etc/godwit/godwit.toml is fine; no agent runs"),
      .fail(
        .antenna, "2 satellites heard, the best at 21 dB-Hz",
        "sky above, no metal over the antenna, its plug pushed home and whatever else there is to say of it"),
      .notTried(.ignition, "--wait-ignition waits for it"),
    ])

  @Test("one line a finding, with what to do below it, in 80 columns")
  func text() {
    let expected = """
      ok    settings   /etc/godwit/godwit.toml is fine; no agent runs
      FAIL  antenna    2 satellites heard, the best at 21 dB-Hz
                       -> sky above, no metal over the antenna, its plug pushed home
                       and whatever else there is to say of it
      -     ignition   --wait-ignition waits for it
      """
    let lines = report.findings.flatMap(DoctorReport.lines)
    #expect(lines.joined(separator: "\n") == expected)
    #expect(!report.isFine && lines.allSatisfy { $0.count <= 80 })
    #expect(report.head == "godwit doctor, van-12, godwit 0.2.0, 2026-03-02T07:00:00.000Z")
    #expect(report.sum == "1 fine, 1 failed, 1 not tried")
  }

  @Test("JSON for a production line")
  func json() throws {
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
    #expect(json["schema"] as? String == "godwit-doctor/1" && json["result"] as? String == "fail")
    let findings = try #require(json["findings"] as? [[String: String]])
    #expect(findings.map { $0["outcome"] } == ["pass", "fail", "not_tried"])
    #expect(findings[1]["subject"] == "antenna" && findings[1]["advice"]?.hasPrefix("sky above") == true)
    #expect(findings[0]["advice"] == nil)
  }

  @Test("what the QR code says is short, and holds no place and no words of a file")
  func code() {
    #expect(
      report.code
        == "godwit-doctor/1 van-12 2026-03-02T07:00Z godwit 0.2.0 FAIL antenna OK settings NOT-TRIED ignition"
    )
  }

  @Test("all that follows settings which cannot be read is not tried, and said so")
  func rest() {
    let rest = Doctor.rest(after: .settings, because: "x")
    #expect(rest.map(\.subject) == Array(Finding.Subject.allCases.dropFirst()))
    #expect(rest.allSatisfy { $0.outcome == .notTried })
  }

  private func trial(hasFix: Bool, accuracy_m: Double = 5) -> ReceiverTrial {
    var trial = ReceiverTrial(Settings().gps)
    let report = GPSReport(
      mode: hasFix ? 3 : 1, time_ms: 1_772_434_800_000, latitude_deg: 47, longitude_deg: 8,
      accuracy_m: accuracy_m)
    _ = trial.takes(report, trusted_ms: nil, at: 0)
    return trial
  }

  private func look(
    fix_s: Double?, _ satellites: Int, _ best_dBHz: Double?, _ fault: GPSReport.AntennaFault? = nil
  ) -> ReceiverExam.Look {
    ReceiverExam.Look(
      firstReport_s: 1, firstFix_s: fix_s, satellites: satellites, best_dBHz: best_dBHz, antennaFault: fault,
      trial: trial(hasFix: fix_s != nil))
  }

  @Test("an antenna is judged by what the receiver hears")
  func antenna() {
    func outcome(_ look: ReceiverExam.Look) -> Finding.Outcome { ReceiverExam.antenna(look).outcome }
    #expect(outcome(look(fix_s: 20, 12, 41)) == .pass)
    #expect(outcome(look(fix_s: 20, 12, nil)) == .pass)
    #expect(outcome(look(fix_s: 90, 7, 27)) == .fail)
    #expect(outcome(look(fix_s: nil, 3, 40)) == .fail)
    // A fix without a word of satellites: some receivers say none.
    #expect(outcome(look(fix_s: 20, 0, nil)) == .notTried)
    #expect(ReceiverExam.antenna(look(fix_s: nil, 12, 40, .open)).words.contains("no antenna is connected"))
    #expect(ReceiverExam.antenna(look(fix_s: nil, 12, 40, .short)).outcome == .fail)
    #expect(
      ReceiverExam.antenna(look(fix_s: 20, 12, 41.25)).words == "12 satellites heard, the best at 41.25 dB-Hz"
    )
  }

  @Test("a fix in time, or none")
  func fix() {
    #expect(ReceiverExam.fix(look(fix_s: 24.5, 9, 40), patience_s: 180) == .pass(.fix, "after 24.5 s"))
    let none = ReceiverExam.fix(look(fix_s: nil, 9, 40), patience_s: 180)
    #expect(none.outcome == .fail && none.words == "none within 180 s")
  }

  @Test("fixes that the agent refuses are none, with the reason; their antenna may be right")
  func refused() {
    var look = look(fix_s: nil, 0, nil)
    look.trial = trial(hasFix: true, accuracy_m: 1900)
    #expect(
      ReceiverExam.fix(look, patience_s: 60)
        == .fail(
          .fix,
          "none that the agent takes within 60 s: fixes come, but less accurate than gps.max_accuracy_m (100 m)",
          "the antenna and its view of the sky"))
    #expect(ReceiverExam.antenna(look).outcome == .notTried)
  }

  @Test("two programs on one receiver's line are named")
  func twoReaders() {
    let device = GPSDDevice(path: "/dev/ttyAMA0", driver: "NMEA0183", isOpen: true)
    #expect(
      ReceiverExam.gpsd([device]) { _ in ["gpsd (12)", "gpsd (40)"] }
        == .fail(
          .gpsd, "gpsd (12) and gpsd (40) read /dev/ttyAMA0: each gets a part of every sentence",
          "one gpsd alone may read it: stop the others"))
    #expect(
      ReceiverExam.gpsd([device]) { _ in ["gpsd (12)"] }
        == .pass(.gpsd, "answers, with /dev/ttyAMA0 (NMEA0183)"))
  }

  @Test("every cause that a request can fail of has advice of its own, or the page that has it")
  func advice() {
    for failure in UploadReply.NoReply.allCases { #expect(!ServerExam.advice(failure.rawValue).isEmpty) }
    #expect(ServerExam.advice("unauthorised").contains("sync.token_file"))
  }
}
