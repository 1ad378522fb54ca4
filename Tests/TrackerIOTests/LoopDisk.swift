import Glibc
import Testing

/// A small ext4 of its own, which can be filled to the last block.
final class LoopDisk {
  static let isPossible = getuid() == 0 && access("/dev/loop-control", F_OK) == 0
  private let folder = QueueFolder()
  var path: String { folder.path + "/disk" }
  var queue: String { path + "/queue/queue.db" }
  private var isMounted = true

  init() throws {
    mkdir(path, 0o700)
    try LoopDisk.run("truncate -s 48M \(folder.path)/image")
    try LoopDisk.run("mkfs.ext4 -q -b 4096 \(folder.path)/image")
    try LoopDisk.run("mount -o loop,errors=remount-ro \(folder.path)/image \(path)")
  }

  deinit {
    try? unmount()
    rmdir(path)
  }

  /// Another process takes what there is.
  func fill() throws {
    let file = open(path + "/filler", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    let bytes = [UInt8](repeating: 1, count: 1 << 20)
    for size in [1 << 20, 4096, 1] { while Glibc.write(file, bytes, size) > 0 {} }
    #expect(errno == ENOSPC)
    fsync(file)
    var info = statvfs()
    statvfs(path, &info)
    // What ext4 keeps for itself stays free.
    #expect(info.f_bavail == 0)
  }

  func free() {
    unlink(path + "/filler")
    // ext4 gives the blocks back with a commit of its journal, a moment after it.
    var info = statvfs()
    for _ in 0..<3000 where info.f_bavail < 1000 {
      system("sync -f \(path)")
      usleep(10_000)
      statvfs(path, &info)
    }
    #expect(info.f_bavail >= 1000)
  }

  /// The file system meets an error, and does what Debian mounts it for: it makes itself read-only, for good.
  func breakDown() throws {
    try LoopDisk.run(
      "echo 1 > /sys/fs/ext4/$(basename $(findmnt -n -o SOURCE \(path)))/trigger_fs_error")
  }

  /// What an operator or the next boot does about it. Files that are still open would forbid it.
  func mountAgain() throws {
    try unmount()
    // A program with mounts of its own, begun meanwhile, holds a copy of this mount until it ends, and the image with
    // it. What is on the disk goes on in a copy of the image.
    try LoopDisk.run("cd \(folder.path) && cp image copy && mv copy image")
    // 1: errors were corrected.
    try LoopDisk.run("e2fsck -f -y \(folder.path)/image > /dev/null 2>&1 || [ $? = 1 ]")
    try LoopDisk.run("mount -o loop,errors=remount-ro \(folder.path)/image \(path)")
    isMounted = true
  }

  func unmount() throws {
    if !isMounted { return }
    try LoopDisk.run("umount \(path) 2> /dev/null")
    isMounted = false
  }

  private static func run(_ command: String) throws {
    if system(command) != 0 { throw CommandFailed(command: command) }
  }

  struct CommandFailed: Error { var command: String }
}

extension LoopDisk {
  func write(_ bytes: [UInt8], to name: String) {
    guard let file = fopen(path + "/" + name, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  func read(_ name: String) -> [UInt8] {
    let copy = QueueFolder()
    guard system("cp \(path)/\(name) \(copy.path)/copy") == 0 else { return [] }
    return copy.read("copy")
  }
}
