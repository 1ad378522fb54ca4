import Glibc
import TrackerBase
import TrackerIO

/// The user whom the agent runs as: the owner of its queue, or of its folder.
enum AgentUser {
  /// Of a store that has another owner than root, this process is that user from now on, with its groups: a file of root's
  /// there would keep the service from its queue for ever.
  static func become(for settings: Settings) throws {
    guard geteuid() == 0, let owner = owner(of: settings.queue.path) else { return }
    let (user, group) = owner
    let name = UserName.of(user)
    makeRunFolder(settings.run.directory, user, group)
    if initgroups(name, group) != 0 { setgroups(0, nil) }
    guard setgid(group) == 0, setuid(user) == 0 else {
      throw ExitReason.permission.exit(
        "the queue belongs to \(name), and this process cannot become that user: sudo systemctl start godwit")
    }
    Terminal.error(
      "godwit: runs as the user \(name), to whom \(FolderEntry.folder(of: settings.queue.path)) belongs\n")
  }

  /// nil: root's, or nothing is there yet.
  private static func owner(of queue: String) -> (user: uid_t, group: gid_t)? {
    for path in [queue, FolderEntry.folder(of: queue)] {
      var info = stat()
      if stat(path, &info) == 0, info.st_uid != 0 { return (info.st_uid, info.st_gid) }
    }
    return nil
  }

  /// systemd makes it for the service; what stays of it is given to the user by its next start.
  private static func makeRunFolder(_ path: String, _ user: uid_t, _ group: gid_t) {
    if mkdir(path, 0o755) == 0 { chown(path, user, group) }
  }

  /// Neither root nor the agent's user: what that may read is not known.
  static func isStranger(to settings: Settings) -> Bool {
    let own = geteuid()
    guard own != 0, let owner = owner(of: settings.queue.path) else { return false }
    return owner.user != own
  }

  /// Opened, or with the reason in the log where it is another user's.
  static func queue(_ settings: Settings, log: Log) throws -> QueueStore {
    do {
      return try QueueStore(
        path: settings.queue.path, servers: settings.servers.map(\.name), goesOnWithoutStorage: true)
    } catch {
      if let words = foreignFile(of: settings) { log.write(.error, words) }
      throw error
    }
  }

  /// A file of the agent's that has another owner than its folder, in words: the agent cannot use it.
  static func foreignFile(of settings: Settings) -> String? {
    let queue = settings.queue.path
    let folder = FolderEntry.folder(of: queue)
    // Another folder may hold files of others as well.
    let beginning = folder == StateFolder.path ? "" : String(queue.split(separator: "/").last ?? "")
    var (own, other) = (stat(), stat())
    guard stat(folder, &own) == 0, own.st_uid != 0 else { return nil }
    let names = FolderEntry.all(in: folder).map(\.name).filter { $0 != "." && $0 != ".." }.sorted()
    for name in names where name.hasPrefix(beginning) {
      guard lstat("\(folder)/\(name)", &other) == 0, other.st_uid != own.st_uid else { continue }
      let (agent, owner) = (UserName.of(own.st_uid), UserName.of(other.st_uid))
      return
        "\(folder)/\(name) belongs to \(owner) and its folder to \(agent), so the agent cannot use it: sudo chown -R \(agent): \(folder)"
    }
    return nil
  }

  /// The queue file's, or its folder's where there is none yet, or one that root has left there.
  static func asOwner<Value>(ofQueue path: String, _ body: () throws -> Value) rethrows -> Value {
    var info = stat()
    return try asOwner(
      of: stat(path, &info) == 0 && info.st_uid != 0 ? path : FolderEntry.folder(of: path), body)
  }

  /// Root opens the files as their owner: what opening makes must be the agent's own.
  static func asOwner<Value>(of path: String, _ body: () throws -> Value) rethrows -> Value {
    var info = stat()
    guard geteuid() == 0, stat(path, &info) == 0, info.st_uid != 0 else { return try body() }
    let group = getegid()
    var groups = [gid_t](repeating: 0, count: Int(max(getgroups(0, nil), 0)))
    getgroups(Int32(groups.count), &groups)
    // Root's own would open to it what is closed to the owner.
    if initgroups(UserName.of(info.st_uid), info.st_gid) != 0 { setgroups(0, nil) }
    defer { setgroups(groups.count, groups) }
    guard setegid(info.st_gid) == 0, seteuid(info.st_uid) == 0 else { return try body() }
    defer {
      seteuid(0)
      setegid(group)
    }
    return try body()
  }
}
