import Encodings
import Endpoints
import Foundation
import HTTP
import Languages

/// An Atom feed, RFC 4287.
struct AtomFeed {
    struct Entry {
        /// The id is permanent, whatever else changes.
        let id: String
        let title: String
        let link: String
        let updated: Date
        var published: Date?
        /// Plain text.
        var content: String?
    }

    let id: String
    let title: String
    let language: Language
    /// The feed's own address. Like all addresses here, it is absolute.
    let address: String
    /// The address of the page with the same content.
    let page: String
    let author: String
    let authorAddress: String
    let updated: Date
    let entries: [Entry]

    func response(to context: RequestContext) throws -> Response {
        var xml = XMLWriter()
        xml.element("feed", ["xmlns": "http://www.w3.org/2005/Atom", "xml:lang": language.tag]) {
            xml in
            xml.element("id", text: id)
            xml.element("title", ["type": "text"], text: title)
            xml.element("updated", text: updated.rfc3339)
            xml.element("author") { xml in
                xml.element("name", text: author)
                xml.element("uri", text: authorAddress)
            }
            xml.emptyElement(
                "link", ["rel": "self", "type": MediaType.atom.description, "href": address])
            xml.emptyElement("link", ["rel": "alternate", "type": "text/html", "href": page])
            for entry in entries { Self.write(entry, to: &xml) }
        }
        // There is no Last-Modified: people's names, and who is public, change without being dated.
        return Response.file(.atom, xml.bytes)
    }

    private static func write(_ entry: Entry, to xml: inout XMLWriter) {
        xml.element("entry") { xml in
            xml.element("id", text: entry.id)
            xml.element("title", ["type": "text"], text: entry.title)
            xml.element("updated", text: entry.updated.rfc3339)
            if let published = entry.published {
                xml.element("published", text: published.rfc3339)
            }
            xml.emptyElement(
                "link", ["rel": "alternate", "type": "text/html", "href": entry.link])
            if let content = entry.content {
                xml.element("content", ["type": "text"], text: content)
            }
        }
    }

    /// A URN for something that has a UUID.
    static func id(_ uuid: UUID) -> String { "urn:uuid:\(uuid.text)" }

    /// A tag URI, RFC 4151, for something that has a path that never changes.
    static func id(_ path: String, of settings: WebSettings) -> String {
        let authority = settings.publicURL.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
        let host =
            authority.hasPrefix("[")
            ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        let name = host.lowercased().map { character in
            character.isASCII && (character.isLetter || character.isNumber || character == ".")
                ? character : "-"
        }
        return "tag:\(String(name)),2026:\(path)"
    }
}
