import HTTP

/// A form's items are those of its parts, wherever it is cut at an ampersand, and come back as they
/// were when they are written.
enum FormProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        let bytes = Array(input)
        let whole = parse(bytes)
        // Of a form of very many items only some: each cut takes as long as the form.
        let cuts = bytes.indices.filter { bytes[$0] == UInt8(ascii: "&") }
        for index in cuts.prefix(4) + cuts.dropFirst(4).suffix(4) {
            let first = parse(Array(bytes[..<index]))
            let second = parse(Array(bytes[(index + 1)...]))
            guard let whole else {
                let count = (first?.count ?? 0) + (second?.count ?? 0)
                require(
                    first == nil || second == nil || count > FormItems.maximumCount,
                    "both parts are taken, and not the whole")
                continue
            }
            require(whole == (first ?? []) + (second ?? []), "cut at \(index) it is another form")
        }
        guard let whole else { return }
        for part in whole.flatMap({ [$0.name, $0.value] }) {
            require(!part.utf8.contains(0), "a NUL")
        }
        let written = whole.map {
            PercentCoding.encodeQueryValue($0.name) + "="
                + PercentCoding.encodeQueryValue($0.value)
        }.joined(separator: "&")
        require(parse(Array(written.utf8)) == whole, "written as \(written)")
        checkSegments(whole)
    }

    private struct Item: Equatable {
        let name: String
        let value: String

        /// Byte for byte: Swift takes texts for equal that only look alike.
        static func == (a: Item, b: Item) -> Bool {
            a.name.utf8.elementsEqual(b.name.utf8) && a.value.utf8.elementsEqual(b.value.utf8)
        }
    }

    private static func parse(_ bytes: [UInt8]) -> [Item]? {
        (try? FormItems(parsing: bytes))?.items.map { Item(name: $0.name, value: $0.value) }
    }

    /// What can be a segment of a path comes back as it was, and what cannot is refused.
    private static func checkSegments(_ items: [Item]) {
        for text in items.map(\.value) {
            let decoded = try? PercentCoding.decodeSegment(
                PercentCoding.encodeQueryValue(text))
            let isSegment =
                text != "." && text != ".."
                && text.utf8.allSatisfy {
                    $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\")
                }
            require(decoded.map { Array($0.utf8) } == (isSegment ? Array(text.utf8) : nil), text)
        }
    }
}
