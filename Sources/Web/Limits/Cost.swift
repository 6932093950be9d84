/// What a request costs, counted against the rate limits. The unit is what it takes to make a plain
/// page, or to read one list with the API.
///
/// A route declares what it costs, and an input what a request costs more that has it. Whether the
/// answer then is a 200, a 304 or an error makes no difference: making it was the same work.
struct Cost: Hashable, Sendable {
    let tenths: Int

    private init(tenths: Int) { self.tenths = tenths }

    static func units(_ count: Int) -> Cost { Cost(tenths: count * 10) }

    static func + (one: Cost, other: Cost) -> Cost { Cost(tenths: one.tenths + other.tenths) }

    /// An answer that each loop has anyway, such as an asset, and signs of life.
    static let nothing = Cost(tenths: 0)
    /// An answer from memory that only had to be checked, whatever it cost to make.
    static let kept = Cost(tenths: 1)
    static let plain = units(1)
    /// One more condition that the database has to look at.
    static let filter = units(1)
    /// A search, besides the page that shows what it found.
    static let search = units(4)
    /// Work that takes as long as several pages, such as hashing a password.
    static let dear = units(5)
    /// The drawing of a card, besides the request for it.
    static let drawing = units(10)
    /// A file of thousands of rows.
    static let upload = units(20)
    /// Everything that is known about someone.
    static let export = units(20)
}

extension Cost: CustomStringConvertible {
    var description: String {
        let (units, rest) = tenths.quotientAndRemainder(dividingBy: 10)
        let number = rest == 0 ? "\(units)" : "\(units).\(rest)"
        return number == "1" ? "1 unit" : "\(number) units"
    }
}
