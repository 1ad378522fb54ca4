import Glibc

@testable import TrackerIO

/// nil for a file that is not there.
func fileBytes(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = fread(&chunk, 1, chunk.count, file)
    if count == 0 { return bytes }
    bytes += chunk[..<count]
  }
}

/// Names of what is in a folder, sorted; none where there is no folder.
func fileNames(in path: String) -> [String] {
  FolderEntry.all(in: path).map(\.name).filter { $0 != "." && $0 != ".." }.sorted()
}
