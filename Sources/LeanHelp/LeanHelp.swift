// swift-argument-parser has one use for FoundationEssentials: the JSON of its hidden --experimental-dump-help. A static
// link takes all of that library along, 5 of 18 MB. So the program that is installed finds the few names here, under
// which swift-argument-parser knows them (Package.swift gives this module the other's name in symbols), and does not
// look into the library. The product godwit-help, of which deploy/manuals makes the manual pages, links the real one.
// See docs/decisions.md. Other builds than for release know nothing of this.
#if LEAN_HELP
  import Glibc

  /// Nothing of ours has it: swift-argument-parser asks each error whether it does.
  public protocol LocalizedError: Error {}

  public struct Data {}

  open class JSONEncoder {
    public struct OutputFormatting: Sendable {
      public static let prettyPrinted = OutputFormatting()
      public static let sortedKeys = OutputFormatting()
    }

    /// Ends the process. What swift-argument-parser would do with the encoder depends on the real one's layout.
    public init() {
      let words = "godwit: this program cannot print its help as JSON; the product godwit-help can\n"
      _ = words.withCString { write(2, $0, strlen($0)) }
      exit(EX_UNAVAILABLE)
    }
  }

  extension String {
    public struct Encoding: Sendable {
      public static let utf8 = Encoding()
    }

    public init?(data: __shared Data, encoding: Encoding) { nil }
  }
#endif
