import HTTP

/// A list means the same with empty elements around it, a choice is the best there is, and what is
/// written of a parsed value is read as the same value.
enum AcceptProperties {
    private static let offers: [MediaType] = [
        .html, .json, .problemJSON, .png, MediaType("a", "b"),
        MediaType("a", "b", parameters: [MediaType.Parameter(name: "c", value: "d")]),
    ]

    static func check(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        checkTypes(text)
        checkCodings(text)
        checkMediaType(text)
        checkTags(text)
    }

    private static func checkTypes(_ text: String) {
        let header = AcceptHeader(text)
        let padded = AcceptHeader(", ,\(text),\t,")
        var best: (MediaType, Int)?
        for offer in offers {
            let weight = header.weight(of: offer)
            require((0...1000).contains(weight), "the weight \(weight)")
            require(padded.weight(of: offer) == weight, "another weight among empty elements")
            if weight > best?.1 ?? 0 { best = (offer, weight) }
        }
        require(header.preferred(among: offers) == best?.0, "not the best")
        require(AcceptHeader(nil).preferred(among: offers) == offers[0], "not the first")
    }

    private static func checkCodings(_ text: String) {
        let prefers = AcceptEncoding(text).prefersGzip
        require(AcceptEncoding(",\t\(text) ,").prefersGzip == prefers, "by empty elements")
        guard prefers else { return }
        require(
            text.utf8.contains(UInt8(ascii: "*")) || text.lowercased().contains("gzip"),
            "gzip was not asked for")
    }

    private static func checkMediaType(_ text: String) {
        guard let type = MediaType(parsing: text) else { return }
        let again = MediaType(parsing: type.description)
        require(again == type, "\(type) is read as \(again as Any)")
        require(again?.hashValue == type.hashValue, "equal, with another hash")
        require(
            again?.parameters.map { Array($0.value.utf8) }
                == type.parameters.map { Array($0.value.utf8) }, "\(type) is other bytes")
        require(
            !type.description.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F },
            "a control character")
    }

    private static func checkTags(_ text: String) {
        let list = EntityTagList(parsing: text)
        if let tag = EntityTag(parsing: text) {
            require(list == .tags([tag]), "one tag is not a list of one")
        }
        guard case .tags(let tags)? = list else { return }
        for tag in tags {
            require(EntityTag(parsing: tag.description) == tag, "\(tag)")
            require(tag.weaklyMatches(tag), "\(tag) does not match itself")
            require(tag.stronglyMatches(tag) == !tag.isWeak, "\(tag) matches itself strongly")
        }
        let written = tags.map(\.description).joined(separator: ",")
        require(EntityTagList(parsing: written) == list, "written as \(written)")
    }
}
