import FaveGames

/// Whatever the operator writes is shown, leads only where a link may lead, and is of bounded depth.
enum MarkdownProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        for markdown in [Markdown(text), Markdown(plain: text)] {
            check(markdown.blocks, mayQuote: true)
        }
        require(Markdown(plain: text).blocks.allSatisfy(isParagraph), "markup in a plain text")
    }

    private static func isParagraph(_ block: Markdown.Block) -> Bool {
        if case .paragraph = block { true } else { false }
    }

    private static func check(_ blocks: [Markdown.Block], mayQuote: Bool) {
        for block in blocks {
            switch block {
            case .heading(let level, let phrases):
                require((2...4).contains(level), "a heading of level \(level)")
                check(phrases)
            case .paragraph(let phrases): check(phrases)
            case .list(let start, let items):
                require(start.map { (0...999_999).contains($0) } ?? true, "a large number")
                require(!items.isEmpty, "a list without items")
                for item in items { check(item) }
            case .quote(let blocks):
                require(mayQuote, "a quote in a quote")
                check(blocks, mayQuote: false)
            case .divider: break
            }
        }
    }

    private static func check(_ phrases: [Markdown.Phrase]) {
        for phrase in phrases {
            require(!phrase.words.isEmpty, "a phrase without words")
            if case .web(let address)? = phrase.link {
                require(
                    ["http://", "https://"].contains { address.lowercased().hasPrefix($0) },
                    "a link to \(address)")
            }
            for words in phrase.words {
                require(words.text.isEmpty == words.breaksLine, "words without a text")
                require(
                    words.text.unicodeScalars.allSatisfy {
                        $0.properties.generalCategory != .control || $0 == "\n"
                    }, "a control character")
            }
        }
    }
}
