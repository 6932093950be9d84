/// Sees to it that no sentence of a template is put together from branches: a translator gets whole
/// sentences, and English reads well in each case.
///
/// A sentence is the text between the tags of two blocks, with the inline elements in that text. If all of
/// its words are in inline elements, each of these is a sentence. A branch may contain a sentence, and
/// alternatives may be sentences, but a sentence can't continue from a branch into the text beside it.
struct Sentences {
    /// A place in the template.
    struct Place {
        let line: Int
        let column: Int
    }

    /// An open element: a block, or an inline element in it.
    private struct Element {
        /// Whether there are words before the last branch, and whether there are some since.
        var hadWords = false
        var hasWords = false
        /// Whether some words are the element's own, and not of an inline element in it.
        var hasOwnWords = false
        /// The first words that follow others behind a branch.
        var continuation: Place?

        /// Begins the next sentence without a tag.
        mutating func hasEnded() {
            hadWords = false
            hasWords = false
        }

        mutating func merge(_ other: Element) {
            hadWords = hadWords || other.hadWords
            hasWords = hasWords || other.hasWords
            hasOwnWords = hasOwnWords || other.hasOwnWords
            continuation = continuation ?? other.continuation
        }
    }

    /// The open elements, the block first.
    private var open = [Element()]
    /// The number of blocks so far, which tells whether a branch is within one.
    private var blocks = 0
    private var branches: [(start: State, ends: [State], hasElse: Bool)] = []
    private var isReference = false
    /// The byte before.
    private var latest: UInt8 = 0

    private typealias State = (open: [Element], blocks: Int)

    // MARK: Text and tags

    /// Reads a byte between tags, or of an attribute.
    mutating func read(_ byte: UInt8, at place: Place) {
        defer { latest = byte }
        if byte == UInt8(ascii: "&") || isReference, byte != UInt8(ascii: " ") {
            isReference = byte != UInt8(ascii: ";")
            return
        }
        isReference = false
        // "·" separates facts.
        if (latest, byte) == (0xC2, 0xB7) {
            for index in open.indices { open[index].hasEnded() }
            return
        }
        guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) else { return }
        for index in open.indices {
            if open[index].hadWords, open[index].continuation == nil {
                open[index].continuation = place
            }
            open[index].hasWords = true
        }
        open[open.count - 1].hasOwnWords = true
    }

    /// Moves past a value.
    mutating func readValue(at place: Place) {
        for index in open.indices {
            if open[index].hadWords, open[index].continuation == nil {
                open[index].continuation = place
            }
        }
    }

    /// Moves past a tag.
    ///
    /// - Throws: `TemplateError` if a sentence has ended that isn't whole.
    mutating func read(tag: String, isEnd: Bool) throws(TemplateError) {
        isReference = false
        guard !InlineElements.isVoid(tag) else { return }
        guard InlineElements.contains(tag) else { return try endBlock() }
        guard isEnd else { return open.append(Element()) }
        guard open.count > 1, let ended = open.popLast() else { return }
        try check(ended)
    }

    /// Ends the block: a tag of one follows, or nothing.
    mutating func endBlock() throws(TemplateError) {
        for element in open { try check(element) }
        open = [Element()]
        blocks += 1
    }

    private func check(_ element: Element) throws(TemplateError) {
        guard element.hasOwnWords, let place = element.continuation else { return }
        throw TemplateError(
            line: place.line, column: place.column,
            message:
                "This continues a sentence behind a branch: write the whole sentence in each "
                + "branch, or as two sentences in elements of their own")
    }

    // MARK: Branches

    mutating func beginBranch() {
        beginPart()
        branches.append((state, [], false))
    }

    mutating func beginAlternative(isLast: Bool) {
        beginPart()
        guard let index = branches.indices.last else { return }
        branches[index].ends.append(state)
        branches[index].hasElse = isLast
        (open, blocks) = branches[index].start
    }

    /// - Returns: Whether each branch has ended in the inline elements that it began in.
    mutating func endBranches() -> Bool {
        beginPart()
        guard let (start, ends, hasElse) = branches.popLast() else { return true }
        let all = ends + [state] + (hasElse ? [] : [start])
        let isWithinBlock = all.allSatisfy { $0.blocks == start.blocks }
        guard all.allSatisfy({ $0.open.count == start.open.count }) else {
            open = [Element()]
            return !isWithinBlock
        }
        open = all[0].open
        for other in all.dropFirst() {
            for index in open.indices { open[index].merge(other.open[index]) }
        }
        blocks = all.map(\.blocks).max() ?? blocks
        return true
    }

    private var state: State { (open, blocks) }

    private mutating func beginPart() {
        for index in open.indices {
            open[index].hadWords = open[index].hadWords || open[index].hasWords
            open[index].hasWords = false
        }
    }
}
