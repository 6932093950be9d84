/// Finds the ends of lines in input that arrives in pieces, looking at no byte twice.
struct LineScanner {
    /// How many bytes of the unfinished line are known to hold no line feed.
    private var searched = 0

    /// The length, with its CRLF, of the line that begins `input`, or `nil` when its end isn't
    /// there yet.
    ///
    /// Called again with the same bytes and more after them. Throws `excess` as soon as the line
    /// must be longer than `limit`, whether its end is there or not, so that it doesn't matter how
    /// the input was cut.
    @inline(__always)
    mutating func line(
        in input: Bytes, limit: Int, excess: RequestError.Code
    ) throws(RequestError) -> Int? {
        let end = min(input.count, limit)
        guard let lineFeed = input.position(of: .lineFeed, from: searched, before: end) else {
            guard end < limit else { throw RequestError(excess) }
            searched = end
            return nil
        }
        searched = 0
        guard lineFeed > 0, input[lineFeed - 1] == .carriageReturn else {
            throw RequestError(.bareLineFeed)
        }
        return lineFeed + 1
    }
}
