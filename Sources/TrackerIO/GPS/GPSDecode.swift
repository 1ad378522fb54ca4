import CHost
import Glibc

/// What a receiver sent (NMEA, UBX, SiRF, …), decoded by gpsd's own `gpsdecode`.
///
/// Dates are as gpsd gives them: it chooses the 1024-week period by the present one, so that version 3.22 adds
/// exactly 1024 weeks to recordings from before about 2016. Comments at a recording's head are no harm to it.
public enum GPSDecode {
  public static let program = "gpsdecode"

  /// - Parameter program: is looked for in `PATH`.
  public static func read(
    path: String, program: String = program
  ) throws(RecordingError) -> GPSDRecording {
    let file = try RecordingFile.openPlain(path)
    defer { close(file) }
    var ends: [Int32] = [-1, -1]
    guard chost_pipe(&ends) == 0 else { throw .callFailed("pipe2", code: errno) }
    defer { close(ends[0]) }
    let process: pid_t
    do {
      // It reads the file by itself, and only its output comes through a pipe: nobody waits for the other.
      defer { close(ends[1]) }
      process = try start(program, input: file, output: ends[1])
    }
    let recording: GPSDRecording
    do throws(RecordingError) {
      recording = try GPSDRecording.read(from: ends[0])
    } catch {
      kill(process, SIGKILL)
      _ = wait(for: process)
      throw error
    }
    let status = wait(for: process)
    guard status == 0 else { throw .decoderFailed(program: program, status: status) }
    return recording
  }

  private static func start(_ program: String, input: Int32, output: Int32) throws(RecordingError) -> pid_t {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup("--json"), nil]
    defer { words.forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, program, &files, nil, &words, environ)
    guard code != ENOENT else { throw .noDecoder(program: program) }
    guard code == 0 else { throw .callFailed("posix_spawn \(program)", code: code) }
    return process
  }

  private static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    _ = uninterrupted { waitpid(process, &status, 0) }
    return status
  }
}
