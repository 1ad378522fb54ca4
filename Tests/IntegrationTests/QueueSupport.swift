import Glibc
import TrackerBase

@testable import TrackerIO

/// A folder of its own for each test, gone with it.
final class QueueFolder {
  let path: String
  var queue: String { path + "/queue.db" }

  init() {
    var template = Array("/tmp/godwit-queue-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
  }

  deinit {
    for name in files { unlink(path + "/" + name) }
    rmdir(path)
  }

  /// Names of what is in it, sorted.
  var files: [String] { fileNames(in: path) }

  func read(_ name: String) -> [UInt8] { fileBytes(path + "/" + name) ?? [] }

  func write(_ bytes: [UInt8], to name: String) {
    guard let file = fopen(path + "/" + name, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  /// What a SIGKILL or a power cut leaves of an open queue: the files as they are at this instant.
  func copyAsCut(to other: QueueFolder) {
    for name in files { other.write(read(name), to: name) }
  }
}

func makeFix(latitude_deg: Double = 47.3769123, time_ms: Int64 = 1_767_225_600_000) -> Fix {
  Fix(
    time_ms: time_ms, position: Position(latitude_deg: latitude_deg, longitude_deg: 8.5417001),
    altitude_m: 408.52, speed_mps: 13.89, course_deg: 271.25, accuracy_m: 4.25, altitudeAccuracy_m: 7.5,
    speedAccuracy_mps: 0.5, courseAccuracy_deg: 3, satellites: 9)
}

func makeRecord(
  _ sequence: Int64, kind: Record.Kind = .position, fix: Fix? = makeFix(), tripID: Int64? = 7,
  extras: String = ""
) -> Record {
  Record(
    sequence: sequence,
    content: kind == .position && extras.isEmpty ? .position() : .unknown(kind, text: extras),
    time_ms: 1_767_225_600_000 + sequence * 1000, timeSource: .gps, boot_ms: sequence * 1000, fix: fix,
    isMoving: true, tripID: tripID, odometer_m: 12_345.6)
}

func makeRecords(_ sequences: ClosedRange<Int64>, kind: Record.Kind = .position) -> [Record] {
  sequences.map { makeRecord($0, kind: kind) }
}

/// The error of `type` that `body` throws; nil when it throws none. (`#expect(throws:)` returns it only since
/// Swift 6.1.)
func thrown<Failure: Error>(_ type: Failure.Type, _ body: () throws -> some Any) -> Failure? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? Failure
  }
}
