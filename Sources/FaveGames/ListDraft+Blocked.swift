extension ListDraft {
    /// Checks the comments and tags that differ from those of the list that is being changed.
    ///
    /// - Throws: `blockedText`.
    public func check(
        _ blockList: BlockList, changing list: FaveList
    ) throws(ListError) {
        for entry in entries {
            for text in [entry.comment.text] + entry.tags.tags.map(\.text) {
                if let found = blockList.first(in: text, newTo: list) { throw .blockedText(found) }
            }
        }
    }
}

extension BlockList {
    /// The first item in a comment or a tag; `nil` if the list has that text already: what was written
    /// before an item was blocked must not keep anyone from changing the rest.
    public func first(in text: String, newTo list: FaveList) -> String? {
        let isKnown = list.entries.contains { $0.comment == text || $0.tags.contains(text) }
        return isKnown ? nil : first(in: text)
    }
}
