import HTTP

/// A list means the same with empty elements around it, and what is written of a parsed value is read as
/// the same value.
enum AcceptProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        let text = String(decoding: input, as: UTF8.self)
        checkCodings(text)
        checkMediaType(text)
        checkTags(text)
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
