/// Distinguishes a way to the server that has come from one that is only reported again.
///
/// Address lifetimes and routes are announced anew every few minutes; that is no news. A link that goes down takes
/// its addresses and routes along, of which the kernel says nothing.
public struct LinkMemory: Equatable, Sendable {
  private struct Way: Hashable {
    var index: Int
    var bytes: [UInt8]
    var isRoute: Bool
  }

  private var ways: Set<Way> = []
  private var down: Set<Int> = []

  /// A host has a handful. Beyond this everything is forgotten, and what comes next counts as new.
  static let most = 256

  public init() {}

  /// - Parameters:
  ///   - only: the index of the only interface that counts; nil for any.
  ///   - isLimited: the settings name an interface, which may be absent now.
  /// - Returns: whether there may be a way now that was not there before.
  public mutating func heard(_ news: RouteNews, only: Int?, isLimited: Bool) -> Bool {
    if ways.count + down.count > LinkMemory.most { self = LinkMemory() }
    switch news {
    case .link(let index, works: false):
      ways = ways.filter { $0.index != index }
      down.insert(index)
      return false
    case .link(let index, works: true):
      return down.remove(index) != nil && counts(index, only, isLimited)
    case .address(let index, let address, isThere: true):
      let isNew = ways.insert(Way(index: index, bytes: address, isRoute: false)).inserted
      // Many addresses lead nowhere; that of the named interface does.
      return isNew && isLimited && index == only
    case .address(let index, let address, isThere: false):
      ways.remove(Way(index: index, bytes: address, isRoute: false))
      // Routes through it go with it in silence.
      ways = ways.filter { !($0.isRoute && $0.index == index) }
      return false
    case .defaultRoute(let index, let way, isThere: true):
      return ways.insert(Way(index: index, bytes: way, isRoute: true)).inserted
        && counts(index, only, isLimited)
    case .defaultRoute(let index, let way, isThere: false):
      ways.remove(Way(index: index, bytes: way, isRoute: true))
      return false
    }
  }

  private func counts(_ index: Int, _ only: Int?, _ isLimited: Bool) -> Bool { !isLimited || index == only }
}
