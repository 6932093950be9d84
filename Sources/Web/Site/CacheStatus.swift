import Endpoints
import HTTP
import HTTPTypes

/// What this server's own memory did for a response: RFC 9211.
enum CacheStatus {
    /// The response was cached, and is known to be current.
    static let checkedHit = field("hit; detail=checked")

    /// The response was cached, and may not be current.
    ///
    /// - Parameter age: The time since it was known to be current.
    static func uncheckedHit(age: Duration) -> WrittenFields {
        field("hit; ttl=-\(age.components.seconds); detail=unchecked")
    }

    /// The response was made for this request.
    static let miss = field("fwd=miss")

    /// The response was made for this request, and is cached for the next one.
    static let storedMiss = field("fwd=miss; stored")

    private static func field(_ status: String) -> WrittenFields {
        WrittenFields([HTTPField(name: .cacheStatus, value: "fave-games; \(status)")])
    }
}
