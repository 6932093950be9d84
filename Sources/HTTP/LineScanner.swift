import Encodings

/// Finds the ends of lines in input that arrives in pieces, without searching any byte twice.
struct LineScanner {
    /// How many bytes of the unfinished line are known to hold no line feed.
    private var searched = 0

    /// The length, including its CRLF, of the line at the start of `input`, or `nil` when its end
    /// hasn't arrived yet.
    ///
    /// After `nil`, the next call must pass the same bytes with more after them. Throws `excess` as
    /// soon as the line is certain to be longer than `limit`, whether or not its end has arrived,
    /// so that the outcome doesn't depend on how the input was cut into pieces.
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
