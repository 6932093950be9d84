/// What this server's own memory did for a response: RFC 9211.
enum CacheStatus {
    private static let name = "fave-games"

    private static let checked = "\(name); hit; detail=checked"

    /// The answer was kept.
    ///
    /// - Parameter age: The time since it was known to be current; `nil` if it is known to be now.
    static func hit(age: Duration?) -> String {
        age.map { "\(name); hit; ttl=-\($0.components.seconds); detail=unchecked" } ?? checked
    }

    /// The answer was made for this request.
    ///
    /// - Parameter isStored: Whether it is kept for the next one.
    static func miss(isStored: Bool) -> String {
        isStored ? "\(name); fwd=miss; stored" : "\(name); fwd=miss"
    }
}
