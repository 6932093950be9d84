extension UInt8 {
    /// "0" to "9".
    @inlinable
    public var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// "a" to "z".
    @inlinable
    public var isASCIILowercase: Bool { self &- UInt8(ascii: "a") < 26 }

    @inlinable
    public var isASCIILetter: Bool { (self | 0x20).isASCIILowercase }

    /// "!" to "~".
    @inlinable
    public var isASCIIVisible: Bool { self &- 0x21 < 0x5E }
}

extension StringProtocol {
    /// Whether the text has a number of bytes within a range, and only bytes that are accepted.
    ///
    /// For data from requests: a regular expression in the code is parsed at each use.
    @inlinable
    public func consists(of isAccepted: (UInt8) -> Bool, bytes lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(utf8.count) && utf8.allSatisfy(isAccepted)
    }
}

extension Int {
    /// A number as we write them: decimal digits, without a sign or a leading zero.
    ///
    /// - Parameter digits: How many there may be.
    @inlinable
    public init?(decimal text: some StringProtocol, digits: ClosedRange<Int>) {
        guard text.consists(of: \.isASCIIDigit, bytes: digits),
            text.utf8.first != UInt8(ascii: "0") || text.utf8.count == 1, let number = Int(text)
        else { return nil }
        self = number
    }
}
