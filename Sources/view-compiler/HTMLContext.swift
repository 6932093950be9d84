/// Where in HTML a template has got to. It decides how a value is escaped there, and whether a value
/// may be there at all.
///
/// Follows the tokenizer of the HTML standard (section 13.2.5), as far as templates need it; what it
/// does not follow, it refuses.
struct HTMLContext {
    /// How a value is written: the name of a method of `HTML`.
    enum Escaping: String {
        /// Between tags.
        case text
        /// In an element whose content is text only, where a view would be shown as its source.
        case plainText
        /// In an attribute.
        case attribute
        /// An address, in an attribute that holds one.
        case address
        /// The address of something that runs, or that others are relative to.
        case ownAddress
        /// Where a page sends the browser by itself.
        case redirectAddress
        /// JSON in a data block.
        case json
    }

    /// Why something can't be where it is.
    struct Refusal: Error {
        let message: String
    }

    private enum State: Equatable {
        case text
        /// Behind `<`, `</` or `<!`.
        case tagOpen, endTagOpen, markupDeclaration
        case comment
        /// `<!doctype html>`.
        case declaration
        case tagName
        /// In a tag, between attributes; behind a statement white space must come first.
        case tag, behindStatement
        case attributeName, behindAttributeName, beforeValue
        case doubleQuoted, singleQuoted, unquoted
        /// In `<title>` and `<textarea>`, whose content is text only.
        case plainText
        /// In `<script>`, `<style>` and the like, where character references mean nothing.
        case rawText
    }

    private var state = State.text
    private var tag = Tag()
    private var attribute = Attribute()
    /// The latest bytes of a comment, or of plain or raw text since its last `<`.
    private var recent: [UInt8] = []

    /// What is known of the tag, or of the element whose text this is.
    private struct Tag: Equatable {
        var name: [UInt8] = []
        var isEnd = false
        /// The first `type` of a script.
        var type: Literal?
        /// The first `http-equiv` of a meta.
        var httpEquiv: Literal?
        /// Whether a meta has a value in its `content`.
        var hasContent = false

        var text: String { String(decoding: name, as: UTF8.self) }
    }

    /// What is known of an attribute.
    private struct Attribute: Equatable {
        var name: [UInt8] = []
        var literal = Literal()
        /// Whether the latest part of its value is one from a tag.
        var endsInValue = false

        var text: String { String(decoding: name, as: UTF8.self) }
    }

    /// What a template itself says in an attribute's value.
    private struct Literal: Equatable {
        var bytes: [UInt8] = []
        /// Whether values or statements are part of it, too.
        var isPartial = false

        /// In lower case; `nil` if the template alone does not say it.
        var text: String? {
            isPartial ? nil : String(decoding: bytes, as: UTF8.self).lowercased()
        }
    }

    /// Whether this is between tags.
    var isText: Bool { state == .text }

    // MARK: Values and statements

    /// Goes on behind a value.
    ///
    /// - Returns: How the value is escaped.
    mutating func readValue() throws(Refusal) -> Escaping {
        switch state {
        case .text: return .text
        case .plainText where recent.isEmpty: return .plainText
        case .rawText where recent.isEmpty && isDataBlock: return .json
        case .doubleQuoted:
            let escaping = try escapingInAttribute()
            if tag.text == "meta", attribute.text == "content" { tag.hasContent = true }
            attribute.literal.isPartial = true
            attribute.endsInValue = true
            return escaping
        default: throw Refusal(message: "A value can't be \(place)")
        }
    }

    /// Goes on behind a statement.
    mutating func readStatement() throws(Refusal) {
        switch state {
        case .text: break
        case .plainText where recent.isEmpty: break
        case .doubleQuoted:
            attribute.literal.isPartial = true
            attribute.endsInValue = false
        case .tagName where !tag.isEnd: state = .behindStatement
        case .attributeName, .behindAttributeName:
            try endAttribute()
            state = .behindStatement
        case .tag, .behindStatement: state = .behindStatement
        default: throw Refusal(message: "A statement can't be \(place)")
        }
    }

    private func escapingInAttribute() throws(Refusal) -> Escaping {
        let name = attribute.text
        if name.hasPrefix("on") || ["style", "srcdoc", "http-equiv"].contains(name) {
            throw Refusal(message: "A value can't be \(place)")
        }
        if tag.text == "meta", name == "content", let httpEquiv = tag.httpEquiv {
            return try escapingInContent(of: httpEquiv)
        }
        guard Self.addressAttributes.contains(name) else { return .attribute }
        if attribute.literal == Literal() {
            return Self.runningElements.contains(tag.text) ? .ownAddress : .address
        }
        guard !attribute.endsInValue else {
            throw Refusal(
                message: "An address is one value, or begins with the template's own words")
        }
        guard isOnAnOrigin(attribute.literal.bytes) else {
            throw Refusal(
                message: "What comes before this value does not say where the address leads: begin "
                    + "with / and a name, ?, #, or https://host/")
        }
        return .attribute
    }

    /// `<meta http-equiv="refresh" content="0; url={{ address }}">` is the one `content` that has
    /// a meaning to browsers and takes a value.
    private func escapingInContent(of httpEquiv: Literal) throws(Refusal) -> Escaping {
        guard httpEquiv.text == "refresh",
            attribute.literal.text?.wholeMatch(of: /[0-9]+; url=/) != nil
        else {
            throw Refusal(
                message: "A <meta http-equiv> takes a value only as "
                    + "http-equiv=\"refresh\" content=\"0; url={{ … }}\"")
        }
        return .redirectAddress
    }

    private static let addressAttributes: Set = [
        "href", "src", "srcset", "imagesrcset", "action", "formaction", "poster", "data", "cite",
        "ping", "background", "manifest", "xlink:href",
    ]

    private static let runningElements: Set = ["script", "embed", "object", "base"]

    /// Whether the beginning of an address settles its scheme and host, whatever follows.
    private func isOnAnOrigin(_ beginning: [UInt8]) -> Bool {
        let text = String(decoding: beginning, as: UTF8.self)
        return text.prefixMatch(of: /\/[A-Za-z0-9@_.~-]|[?#]|https?:\/\/[A-Za-z0-9.:-]+\//) != nil
    }

    private var isDataBlock: Bool {
        tag.text == "script" && tag.type?.text == "application/ld+json"
    }

    /// Where this is, for messages.
    var place: String {
        switch state {
        case .text: "in text"
        case .tagOpen, .endTagOpen, .tagName: "in the name of a tag"
        case .markupDeclaration, .declaration: "in a declaration"
        case .comment: "in a comment"
        case .tag, .behindStatement, .attributeName, .behindAttributeName: "in a tag"
        case .beforeValue, .singleQuoted, .unquoted: "in an attribute without double quotes"
        case .doubleQuoted: "in the attribute \(attribute.text)"
        case .plainText, .rawText: "in <\(tag.text)>"
        }
    }

    // MARK: Literal HTML

    /// Goes on by one byte of the template's own HTML.
    mutating func read(_ byte: UInt8) throws(Refusal) {
        switch state {
        case .text: if byte == UInt8(ascii: "<") { state = .tagOpen }
        case .tagOpen, .endTagOpen, .markupDeclaration: try readTagOpen(byte)
        case .comment: readComment(byte)
        case .declaration: if byte == UInt8(ascii: ">") { state = .text }
        case .tagName, .tag, .behindStatement, .attributeName, .behindAttributeName, .beforeValue:
            try readTag(byte)
        case .doubleQuoted: try readValue(byte, until: UInt8(ascii: "\""))
        case .singleQuoted: try readValue(byte, until: UInt8(ascii: "'"))
        case .unquoted:
            if byte == UInt8(ascii: ">") || Self.isSpace(byte) {
                try endAttribute()
                state = .tag
                try readTag(byte)
            } else {
                attribute.literal.bytes.append(byte)
            }
        case .plainText, .rawText: try readTextOnly(byte)
        }
    }

    private mutating func readTagOpen(_ byte: UInt8) throws(Refusal) {
        switch (state, byte) {
        case (.tagOpen, UInt8(ascii: "/")): state = .endTagOpen
        case (.tagOpen, UInt8(ascii: "!")):
            state = .markupDeclaration
            recent = []
        case (.tagOpen, _) where Self.isLetter(byte), (.endTagOpen, _) where Self.isLetter(byte):
            tag = Tag(name: [Self.lowercased(byte)], isEnd: state == .endTagOpen)
            state = .tagName
        case (.markupDeclaration, _):
            recent.append(Self.lowercased(byte))
            if recent == Array("--".utf8) {
                state = .comment
                recent = []
            } else if recent == Array("doctype".utf8) {
                state = .declaration
            } else if !"--".utf8.starts(with: recent), !"doctype".utf8.starts(with: recent) {
                throw Refusal(message: "Only comments and <!doctype html> begin with <!")
            }
        default: throw Refusal(message: "A < that begins no tag is written &lt;")
        }
    }

    private mutating func readComment(_ byte: UInt8) {
        // Also <!--> and <!--->.
        recent.append(byte)
        let text = String(decoding: recent, as: UTF8.self)
        if text.hasSuffix("-->") || text.hasSuffix("--!>") || text == ">" || text == "->" {
            state = .text
            recent = []
        }
    }

    private mutating func readTag(_ byte: UInt8) throws(Refusal) {
        switch (state, byte) {
        case (.attributeName, UInt8(ascii: "=")), (.behindAttributeName, UInt8(ascii: "=")):
            try checkAttribute()
            state = .beforeValue
        case (.beforeValue, UInt8(ascii: "\"")): state = .doubleQuoted
        case (.beforeValue, UInt8(ascii: "'")): state = .singleQuoted
        case (.beforeValue, UInt8(ascii: ">")):
            throw Refusal(message: "This attribute has no value")
        case (.beforeValue, _):
            guard !Self.isSpace(byte) else { return }
            state = .unquoted
            attribute.literal.bytes.append(byte)
        case (_, UInt8(ascii: ">")):
            if state == .attributeName || state == .behindAttributeName { try endAttribute() }
            endTag()
        case (.attributeName, _) where Self.isSpace(byte): state = .behindAttributeName
        case (.behindAttributeName, _) where Self.isSpace(byte): break
        case (_, _) where Self.isSpace(byte) || byte == UInt8(ascii: "/"):
            if state == .attributeName || state == .behindAttributeName { try endAttribute() }
            state = .tag
        case (.tagName, _): tag.name.append(Self.lowercased(byte))
        case (.attributeName, _): attribute.name.append(Self.lowercased(byte))
        case (.behindStatement, _):
            throw Refusal(message: "In a tag, white space comes first behind a statement")
        default:
            if state == .behindAttributeName { try endAttribute() }
            guard byte != UInt8(ascii: "="), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "'")
            else { throw Refusal(message: "This attribute has no name") }
            attribute = Attribute(name: [Self.lowercased(byte)])
            state = .attributeName
        }
    }

    private mutating func readValue(_ byte: UInt8, until quote: UInt8) throws(Refusal) {
        guard byte != quote else {
            try endAttribute()
            state = .tag
            return
        }
        if attribute.endsInValue, Self.addressAttributes.contains(attribute.text),
            byte != UInt8(ascii: "?"), byte != UInt8(ascii: "#"), byte != UInt8(ascii: " "),
            // The template's own words began the address.
            !isOnAnOrigin(attribute.literal.bytes)
        {
            throw Refusal(message: "Behind the value of an address only ?, # or a space may follow")
        }
        if tag.text == "meta", attribute.endsInValue, tag.httpEquiv != nil {
            throw Refusal(message: "Nothing may follow the address of a refresh")
        }
        attribute.literal.bytes.append(byte)
        attribute.endsInValue = false
    }

    /// A browser gives the `content` of a meta a meaning by its `http-equiv`, wherever that is.
    private func checkAttribute() throws(Refusal) {
        if tag.text == "meta", attribute.text == "http-equiv", tag.hasContent {
            throw Refusal(message: "http-equiv must come before the content that has a value")
        }
    }

    private mutating func endAttribute() throws(Refusal) {
        // Of two attributes with the same name the first counts.
        switch (tag.text, attribute.text) {
        case ("script", "type"): tag.type = tag.type ?? attribute.literal
        case ("meta", "http-equiv"): tag.httpEquiv = tag.httpEquiv ?? attribute.literal
        default: break
        }
        attribute = Attribute()
    }

    private mutating func endTag() {
        attribute = Attribute()
        recent = []
        state = .text
        guard !tag.isEnd else { return }
        if ["title", "textarea"].contains(tag.text) {
            state = .plainText
        } else if Self.rawTextElements.contains(tag.text) {
            state = .rawText
        }
    }

    private static let rawTextElements: Set = [
        "script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext",
    ]

    private mutating func readTextOnly(_ byte: UInt8) throws(Refusal) {
        let end = Array("</".utf8) + tag.name
        let endsName = byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || Self.isSpace(byte)
        if recent == end, endsName {
            tag = Tag(name: tag.name, isEnd: true)
            recent = []
            state = byte == UInt8(ascii: ">") ? .text : .tag
            return
        }
        if byte == UInt8(ascii: "<") {
            recent = [byte]
        } else if !recent.isEmpty {
            recent.append(Self.lowercased(byte))
            if recent == Array("<!--".utf8), tag.text == "script" {
                throw Refusal(message: "Behind <!-- a script does not end where it seems to")
            }
            if !end.starts(with: recent), !"<!--".utf8.starts(with: recent) { recent = [] }
        }
    }

    // MARK: Bytes

    private static func isSpace(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte))
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }
}

extension HTMLContext: Equatable {
    /// Whether what follows means the same here and there.
    static func == (one: Self, other: Self) -> Bool {
        guard one.state == other.state else { return false }
        switch one.state {
        case .text: return true
        case .doubleQuoted:
            return one.tag == other.tag && one.attribute.name == other.attribute.name
                && one.meaningOfAttribute == other.meaningOfAttribute
        default: return one.tag == other.tag && one.recent == other.recent
        }
    }

    /// What an attribute's value says so far, where that decides what may follow.
    private var meaningOfAttribute: Attribute? {
        Self.addressAttributes.contains(attribute.text) || tag.httpEquiv != nil ? attribute : nil
    }
}
