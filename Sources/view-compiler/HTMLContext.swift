/// The position in HTML that the reader of a template has reached. It decides how a value is
/// escaped there, and whether a value may be there at all.
///
/// Follows the tokenizer of the HTML standard (section 13.2.5) as far as templates need it, and
/// rejects HTML that the standard reads differently inside SVG or `<select>`.
struct HTMLContext {
    /// How a value is escaped. Each case has the name of the method of `HTML` that does it.
    enum Escaping: String {
        /// Between tags.
        case text
        /// In an element that can contain only text, where a view would be shown as its source.
        case plainText
        /// In an attribute.
        case attribute
        /// An address, in an attribute that holds one.
        case address
        /// The address of something that runs, or an address that other addresses are relative to.
        case ownAddress
        /// The address that a page redirects the browser to.
        case redirectAddress
        /// JSON in a data block.
        case json
    }

    /// Why something in a template can't be where it is.
    struct Refusal: Error {
        let message: String
    }

    private enum State: Equatable {
        case text
        /// After `<`, `</` or `<!`.
        case tagOpen, endTagOpen, markupDeclaration
        case comment
        /// `<!doctype html>`.
        case declaration
        case tagName
        /// In a tag, between attributes. After a statement, white space must come first.
        case tag, behindStatement
        case attributeName, behindAttributeName, beforeValue
        case doubleQuoted, singleQuoted, unquoted
        /// In `<title>` and `<textarea>`, which can contain only text.
        case plainText
        /// In `<script>`, `<style>` and the like, where character references have no meaning.
        case rawText
    }

    private var state = State.text
    private var tag = Tag()
    private var attribute = Attribute()
    /// The latest bytes of a comment or declaration. In plain or raw text, the bytes from the `<`
    /// that may begin the end tag.
    private var recent: [UInt8] = []

    /// The known parts of the current tag, or of the element around the current text.
    private struct Tag: Equatable {
        var name: [UInt8] = []
        var isEnd = false
        /// Whether the latest byte of the tag is a slash.
        var endsInSlash = false
        /// The first `type` attribute of a script.
        var type: Literal?
        /// The first `http-equiv` attribute of a meta.
        var httpEquiv: Literal?
        /// The first `rel` attribute of a link.
        var rel: Literal?
        /// Whether the `content` of a meta has a `{{ value }}` in it.
        var hasContent = false

        var text: String { String(decoding: name, as: UTF8.self) }
    }

    /// The known parts of the current attribute.
    private struct Attribute: Equatable {
        var name: [UInt8] = []
        var literal = Literal()
        /// Whether the latest part of the attribute's value came from a `{{ value }}`.
        var endsInValue = false

        var text: String { String(decoding: name, as: UTF8.self) }
    }

    /// The part of an attribute's value that the template itself contains.
    private struct Literal: Equatable {
        var bytes: [UInt8] = []
        /// Whether the attribute's value also has `{{ value }}` or `{% statement %}` parts.
        var isPartial = false

        /// The whole value in lower case; `nil` if the template itself contains only part of it.
        var text: String? {
            isPartial ? nil : String(decoding: bytes, as: UTF8.self).lowercased()
        }
    }

    /// Whether the position is between tags.
    var isText: Bool { state == .text }

    /// Whether the position is in an attribute that people read or hear.
    var isInWords: Bool { state == .doubleQuoted && Self.wordAttributes.contains(attribute.text) }

    private static let wordAttributes: Set = [
        "alt", "aria-description", "aria-label", "aria-roledescription", "aria-valuetext", "label",
        "placeholder", "summary", "title",
    ]

    /// The latest tag; `nil` behind a comment or declaration.
    var latestTag: (name: String, isEnd: Bool)? { isBehindComment ? nil : (tag.text, tag.isEnd) }

    private var isBehindComment = false

    // MARK: Values and statements

    /// Moves past a value.
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

    /// Moves past a statement.
    mutating func readStatement() throws(Refusal) {
        switch state {
        case .text: break
        case .plainText where recent.isEmpty: break
        case .doubleQuoted: attribute.literal.isPartial = true
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
        let isAddress = Self.addressAttributes.contains(name)
        guard !name.hasPrefix("on"), !Self.refusedAttributes.contains(name),
            !Self.animations.contains(tag.text),
            isAddress || !Self.runningElements.contains(tag.text),
            tag.text != "link" || name != "rel"
        else { throw Refusal(message: "A value can't be \(place) of <\(tag.text)>") }
        if tag.text == "meta", name == "content", let httpEquiv = tag.httpEquiv {
            return try escapingInContent(of: httpEquiv)
        }
        return isAddress ? try escapingInAddress() : .attribute
    }

    private func escapingInAddress() throws(Refusal) -> Escaping {
        if attribute.literal == Literal() { return isOwnOnly ? .ownAddress : .address }
        guard !Self.listAttributes.contains(attribute.text) else {
            throw Refusal(message: "In \(attribute.text) only the first address can be a value")
        }
        guard isOnAnOrigin(attribute.literal.bytes) else {
            throw Refusal(
                message: attribute.endsInValue
                    ? "An address is one value, or begins with the template's own words"
                    : "The text before this value does not say where the address leads: begin "
                        + "with / and a name, ?, #, or https://host/")
        }
        return .attribute
    }

    /// Whether the address must be on this site, because what it leads to would run or look like
    /// part of the page.
    private var isOwnOnly: Bool {
        guard tag.text == "link" else { return Self.runningElements.contains(tag.text) }
        return !Self.linksToOthers.contains(tag.rel?.text ?? "")
    }

    /// `<meta http-equiv="refresh" content="0; url={{ address }}">` is the only `content` that has
    /// a meaning to browsers and may still have a value.
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

    /// The address attributes that hold several addresses.
    private static let listAttributes: Set = ["srcset", "imagesrcset", "ping"]

    /// Attributes that must not have values, because browsers act on them automatically.
    private static let refusedAttributes: Set = [
        "style", "srcdoc", "http-equiv", "charset", "sandbox", "allow", "codebase", "classid",
        "archive", "integrity", "nonce", "is",
    ]

    private static let runningElements: Set = [
        "script", "embed", "object", "param", "applet", "base",
    ]

    /// SVG elements that set attributes of other elements.
    private static let animations: Set = ["set", "animate", "animatemotion", "animatetransform"]

    /// The values of `rel` that allow a `<link>` to lead to another site.
    private static let linksToOthers: Set = ["canonical", "alternate", "next", "prev", "author"]

    /// Whether the beginning of an address fixes its scheme and host, regardless of the rest.
    private func isOnAnOrigin(_ beginning: [UInt8]) -> Bool {
        let text = String(decoding: beginning, as: UTF8.self)
        return text.prefixMatch(of: /\/[A-Za-z0-9@_.~-]|[?#]|https?:\/\/[A-Za-z0-9.:-]+\//) != nil
    }

    private var isDataBlock: Bool {
        tag.text == "script"
            && (tag.type?.text == "application/ld+json" || tag.type?.text == "application/json")
    }

    /// A description of the position, for messages.
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

    /// Reads one byte of the template's own HTML.
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
            isBehindComment = true
            recent = []
        case (.tagOpen, _) where Self.isLetter(byte), (.endTagOpen, _) where Self.isLetter(byte):
            tag = Tag(name: [Self.lowercased(byte)], isEnd: state == .endTagOpen)
            isBehindComment = false
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
        recent.append(byte)
        // `<!-->` and `<!--->` are whole comments, too.
        let ends = recent.ends(with: "-->") || recent.ends(with: "--!>")
        if ends || recent == Array(">".utf8) || recent == Array("->".utf8) {
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
        case (.beforeValue, _)
        where Self.wordAttributes.contains(attribute.text) && !Self.isSpace(byte):
            throw Refusal(message: "What people read or hear is in double quotes")
        case (.beforeValue, UInt8(ascii: "'")): state = .singleQuoted
        case (.beforeValue, UInt8(ascii: ">")):
            throw Refusal(message: "This attribute has no value")
        case (.beforeValue, _):
            guard !Self.isSpace(byte) else { return }
            state = .unquoted
            attribute.literal.bytes.append(byte)
        case (_, UInt8(ascii: ">")):
            if state == .attributeName || state == .behindAttributeName { try endAttribute() }
            try endTag()
        case (.attributeName, _) where Self.isSpace(byte): state = .behindAttributeName
        case (.behindAttributeName, _) where Self.isSpace(byte): break
        case (_, _) where Self.isSpace(byte) || byte == UInt8(ascii: "/"):
            if state == .attributeName || state == .behindAttributeName { try endAttribute() }
            state = .tag
            tag.endsInSlash = byte == UInt8(ascii: "/")
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
            // Anything may follow if the template's own text began the address and fixed its host.
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

    /// Browsers read the `content` of a meta according to its `http-equiv`, even if that comes
    /// later.
    private func checkAttribute() throws(Refusal) {
        if tag.text == "meta", attribute.text == "http-equiv", tag.hasContent {
            throw Refusal(message: "http-equiv must come before the content that has a value")
        }
    }

    private mutating func endAttribute() throws(Refusal) {
        // Of two attributes with the same name, the first counts.
        switch (tag.text, attribute.text) {
        case ("script", "type"): tag.type = tag.type ?? attribute.literal
        case ("meta", "http-equiv"): tag.httpEquiv = tag.httpEquiv ?? attribute.literal
        case ("link", "rel"): tag.rel = tag.rel ?? attribute.literal
        case ("input", "maxlength"), ("input", "minlength"), ("input", "max"), ("input", "min"),
            ("textarea", "maxlength"), ("textarea", "minlength"):
            // Browsers count UTF-16 code units. The domain counts bytes of ASCII, or Unicode scalars,
            // each of which is one or two units. So with the domain's number, whatever a browser lets
            // people type is short enough, and only characters such as emoji count twice.
            guard attribute.literal.isPartial else {
                throw Refusal(message: "A limit is a value, such as {{ Comment.limit }}")
            }
        default: break
        }
        attribute = Attribute()
    }

    private mutating func endTag() throws(Refusal) {
        attribute = Attribute()
        recent = []
        state = .text
        guard !tag.isEnd else { return }
        if ["title", "textarea"].contains(tag.text) {
            state = .plainText
        } else if Self.rawTextElements.contains(tag.text) {
            state = .rawText
        }
        guard state == .text || !tag.endsInSlash else {
            throw Refusal(message: "Only in SVG is <\(tag.text)/> closed: write its end tag")
        }
        tag.endsInSlash = false
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
        guard byte == UInt8(ascii: "<") || !recent.isEmpty else {
            guard state == .rawText || !Self.isLetter(byte) else {
                throw Refusal(
                    message: "Words in <\(tag.text)> are a value, which can be translated")
            }
            return
        }
        recent.append(Self.lowercased(byte))
        guard !end.starts(with: recent) else { return }
        // In SVG, or where a browser does not expect the element, this `<` would begin a tag.
        guard state == .rawText, !Self.opens(recent.dropFirst()) else {
            throw Refusal(message: "In <\(tag.text)> a < begins its end tag only")
        }
        recent = []
    }

    /// Whether a `<` with these bytes after it begins a tag, a comment or a declaration.
    private static func opens(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first else { return false }
        return isLetter(first) || "/!?".utf8.contains(first)
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

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}

extension HTMLContext: Equatable {
    /// Whether the HTML that follows means the same in both contexts.
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

    /// The attribute's value so far, if it decides what may follow; otherwise `nil`.
    private var meaningOfAttribute: Attribute? {
        Self.addressAttributes.contains(attribute.text) || tag.httpEquiv != nil ? attribute : nil
    }
}
