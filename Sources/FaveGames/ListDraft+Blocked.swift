extension ListDraft {
    /// Checks the comments and tags that differ from those of the list that is being changed: what was
    /// written before an item was blocked must not keep anyone from changing the rest.
    ///
    /// - Throws: `blockedText`.
    public func check(
        _ blockList: BlockList, changing list: FaveList
    ) throws(ListError) {
        let known = Set(list.entries.flatMap { [$0.comment] + $0.tags })
        for entry in entries {
            for text in [entry.comment.text] + entry.tags.tags.map(\.text)
            where !known.contains(text) {
                if let found = blockList.first(in: text) { throw .blockedText(found) }
            }
        }
    }
}
