public import Foundation

/// The date and the number of someone's recovery codes.
public struct RecoveryCodes: Sendable {
    public let madeAt: Date
    public let unused: Int

    public init(madeAt: Date, unused: Int) {
        self.madeAt = madeAt
        self.unused = unused
    }
}
