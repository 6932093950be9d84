import Foundation

/// Someone's private feed, as its owner sees it.
package struct FeedState: Sendable {
    /// When it got its address; `nil` if there is no feed.
    let madeAt: Date?
    /// The address, right after it was made.
    let address: String?

    package init(madeAt: Date?, address: String? = nil) {
        self.madeAt = madeAt
        self.address = address
    }
}
