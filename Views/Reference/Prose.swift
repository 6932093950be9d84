/// A paragraph of an OpenAPI document. It understands the CommonMark that our document uses: strong
/// words, code and links.
struct Prose: Sendable {
    struct Span: Sendable {
        var plain: String?
        var strong: String?
        var code: String?
        var link: Link?
    }

    struct Link: Sendable {
        let text: String
        let href: String
    }

    let spans: [Span]

    init(_ text: String) {
        var spans: [Span] = []
        var rest = text[...]
        while let match = rest.firstMatch(of: Self.markup) {
            if match.range.lowerBound > rest.startIndex {
                spans.append(Span(plain: String(rest[..<match.range.lowerBound])))
            }
            let (_, strong, code, label, address) = match.output
            var span = Span()
            span.strong = strong.map(String.init)
            span.code = code.map(String.init)
            if let label, let address {
                span.link = Link(text: String(label), href: String(address))
            }
            spans.append(span)
            rest = rest[match.range.upperBound...]
        }
        if !rest.isEmpty { spans.append(Span(plain: String(rest))) }
        self.spans = spans
    }

    private static var markup: Regex<(Substring, Substring?, Substring?, Substring?, Substring?)> {
        /\*\*([^*]+)\*\*|`([^`]+)`|\[([^\]]+)\]\(((?:https:\/)?\/[^)\s]+)\)/
    }
}
