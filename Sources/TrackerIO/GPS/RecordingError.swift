import Glibc

/// Why a recorded track cannot be read. The file's name is the caller's to say.
public enum RecordingError: Error, Equatable, CustomStringConvertible {
  case callFailed(_ call: String, code: Int32)
  case directory
  case notAFile
  case tooLarge
  case damagedGzip
  case noDecoder(program: String)
  /// As waitpid(2) reports it.
  case decoderFailed(program: String, status: Int32)
  case outOfMemory

  public var description: String {
    switch self {
    case .callFailed(_, ENOENT): "there is no such file"
    case .callFailed(let call, let code): "\(call): \(systemWords(code))"
    case .directory: "is a directory; name one file in it"
    case .notAFile: "is a pipe or a device; write it to a file first"
    case .tooLarge:
      "is larger than \(RecordingFile.largest >> 20) MB, so not one vehicle's track; cut it into days"
    case .damagedGzip:
      "is packed by gzip, and cut or damaged: gzip -dc FILE > OTHER unpacks what is left; use that, with --skip-bad"
    case .noDecoder(let program):
      "what a receiver sent is read by gpsd's own \(program), which is not installed: apt-get install gpsd-clients"
    case .decoderFailed(let program, let status):
      status & 0x7F == 0
        ? "\(program) could not read it: exit status \((status >> 8) & 0xFF)"
        : "\(program) could not read it: ended by signal \(status & 0x7F)"
    case .outOfMemory: "no memory for libgps's decoder"
    }
  }
}
