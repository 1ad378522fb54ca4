/// What whoever starts a collector ought to know of who is let in; nil: nothing.
public func collectorWarning(store: Store, options: CollectorOptions) async throws -> String? {
  guard options.tokens == nil, !options.deviceTokens, try await !store.hasOperators() else { return nil }
  return "nobody has an account and no token is asked for: whoever reaches this collector may "
    + (options.operatorTokens == nil ? "see and do everything" : "see everything")
    + ", behind a proxy everybody whom that lets through; add an account (godwit-collector operator add NAME "
    + "--role admin), and ask devices for tokens (--token-file, --device-tokens)"
}
