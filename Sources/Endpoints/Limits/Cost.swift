/// What a request costs, counted against the rate limits. The unit is what it takes to make a plain
/// page, or to read one object with the API.
///
/// A route declares its cost. An input declares the surcharge for a request that contains it. The cost
/// is the same for a 200, a 304 and an error: making the response took the same work.
package struct Cost: Hashable, Sendable {
    package let tenths: Int

    private init(tenths: Int) { self.tenths = tenths }

    package static func units(_ count: Int) -> Cost { Cost(tenths: count * 10) }

    package static func + (one: Cost, other: Cost) -> Cost {
        Cost(tenths: one.tenths + other.tenths)
    }

    /// A response that each loop has anyway, such as an asset, and signs of life.
    package static let nothing = Cost(tenths: 0)
    /// A response from memory that only had to be checked, whatever it cost to make.
    package static let cached = Cost(tenths: 1)
    package static let plain = units(1)
    /// One more condition that the database has to look at.
    package static let filter = units(1)
    /// A search, besides the page that shows what it found.
    package static let search = units(4)
    /// Work that takes as long as several pages, such as hashing a password.
    package static let dear = units(5)
}

extension Cost: CustomStringConvertible {
    package var description: String {
        let (units, rest) = tenths.quotientAndRemainder(dividingBy: 10)
        let number = rest == 0 ? "\(units)" : "\(units).\(rest)"
        return number == "1" ? "1 unit" : "\(number) units"
    }
}
