import CZlib

/// The coding of HTTP that servers know best (RFC 9110, 8.4.1.3).
public enum Gzip {
  /// `bytes` in the gzip format; nil when that saves less than a tenth.
  public static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    let worthwhile = bytes.count / 10 * 9
    guard worthwhile > 0 else { return nil }
    let compressed = [UInt8](unsafeUninitializedCapacity: worthwhile) { buffer, count in
      count = godwit_gzip(bytes, bytes.count, buffer.baseAddress, worthwhile)
    }
    return compressed.isEmpty ? nil : compressed
  }
}
