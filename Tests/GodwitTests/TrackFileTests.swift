import Testing
@testable import godwit
