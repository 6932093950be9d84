import Foundation

/// The fields of a form as a browser would send them: in order, as they stand on the page.
public struct HTMLForm {
    public var items: [(key: String, value: String)] = []

    /// - Parameter marker: What the opening tag of the form holds.
    public init(_ html: String, marker: String) throws {
        guard let start = html.range(of: marker),
            let end = html.range(of: "</form>", range: start.upperBound..<html.endIndex)
        else { throw TestFailure("no form with \(marker) in \(html)") }
        let form = html[start.upperBound..<end.lowerBound]
        let control =
            /<(?<kind>input|textarea|select) (?<attributes>[^>]*)>(?<rest>[^<]*(?:<option[^>]*>[^<]*<\/option>\s*)*)/
        for match in form.matches(of: control) {
            let attributes = String(match.attributes)
            guard let name = Self.attribute("name", attributes) else { continue }
            let value =
                switch match.kind {
                case "textarea": Self.unescape(String(match.rest.trimmingPrefix("\n")))
                case "select": Self.chosen(String(match.rest))
                default: Self.attribute("value", attributes) ?? ""
                }
            items.append((name, value))
        }
    }

    public func values(_ name: String) -> [String] {
        items.filter { $0.key == name }.map(\.value)
    }

    /// Fills in a field.
    ///
    /// - Parameter index: Of those with this name.
    public mutating func set(_ name: String, _ index: Int = 0, _ value: String) throws {
        let places = items.indices.filter { items[$0].key == name }
        guard places.indices.contains(index) else {
            throw TestFailure("no field \(name) \(index) among \(items)")
        }
        items[places[index]].value = value
    }

    private static func chosen(_ options: String) -> String {
        let all = options.matches(of: /<option ([^>]*)>/).map { String($0.1) }
        let option = all.first { $0.hasSuffix("selected") } ?? all.first ?? ""
        return attribute("value", option) ?? ""
    }

    private static func attribute(_ name: String, _ attributes: String) -> String? {
        guard let start = (" " + attributes).range(of: " \(name)=\"") else { return nil }
        let rest = (" " + attributes)[start.upperBound...]
        return rest.firstIndex(of: "\"").map { unescape(String(rest[..<$0])) }
    }

    private static func unescape(_ text: String) -> String {
        var text = text
        for (entity, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"),
            ("&amp;", "&"),
        ] { text = text.replacing(entity, with: character) }
        return text
    }
}
