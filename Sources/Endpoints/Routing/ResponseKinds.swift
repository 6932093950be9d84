import HTTP
package import HTTPTypes
import JSON

extension ResponseKind {
    /// A value as JSON.
    ///
    /// - Parameters:
    ///   - text: What the response is, in a sentence.
    ///   - isTagged: Whether the response to a change has the tag that a read would give now.
    ///   - mayMove: Whether the route may redirect by throwing `Moved`.
    ///   - isIndexed: Whether search engines may index the value. If `nil`, they may index every
    ///     value.
    package static func json<Type: Representation>(
        _ type: Type, _ text: String, status: HTTPResponse.Status = .ok, isTagged: Bool = false,
        mayMove: Bool = false, isIndexed: (@Sendable (Output) -> Bool)? = nil
    ) -> Self where Type.Value == Output {
        let description = ResponseDescription.json(
            text, type.schema, status: status,
            fields: (isTagged ? [.eTag] : []) + (isIndexed == nil ? [] : [.xRobotsTag]))
        return Self(mayMove ? [description, Moved.description] : [description]) { output, context in
            let response = Response.json(output, type, for: context.addresses, status)
                .noIndex(unless: isIndexed?(output) ?? true)
            return isTagged ? response.tagged : response
        }
    }

    /// A new resource, with its address in Location.
    ///
    /// - Parameters:
    ///   - isTagged: As above.
    ///   - name: The last part of the resource's path, after the path of the request; `nil` if that is
    ///     the path of the resource.
    package static func created<Type: Representation>(
        _ type: Type, _ text: String, isTagged: Bool = false,
        as name: @escaping @Sendable (Output) -> String?
    ) -> Self where Type.Value == Output {
        let description = ResponseDescription.json(
            text, type.schema, status: .created,
            fields: [.location] + (isTagged ? [.eTag] : []))
        return Self([description]) { output, context in
            var response = Response.json(output, type, for: context.addresses, .created)
            response.forbidCaching()
            response.headerFields[.location] =
                context.request.target.path + (name(output).map { "/\($0)" } ?? "")
            return isTagged ? response.tagged : response
        }
    }

    /// The response to a change: what a read would give now, with its tag.
    package static func changed<Type: Representation>(_ type: Type) -> Self
    where Type.Value == Output {
        .json(type, "The changed version.", isTagged: true)
    }

    /// An object whose only member is an array.
    package static func array<Type: Representation>(
        _ name: StaticString, of type: Type, _ description: String, atMost limit: Int? = nil,
        _ text: String
    ) -> Self where Output == [Type.Value] {
        .json(
            ObjectRepresentation(
                nil, nil, [.init(name, .array(of: type, atMost: limit), description) { $0 }]),
            text)
    }
}

extension ResponseKind where Output == Void {
    package static var noContent: Self {
        Self([ResponseDescription(status: .noContent, text: "Done.")]) { _, _ in
            Response(status: .noContent)
        }
    }
}

/// Redirects the client to the resource's current address, temporarily.
package struct Moved: Error {
    package let path: String

    package init(path: String) { self.path = path }

    fileprivate static let description = ResponseDescription(
        status: .temporaryRedirect,
        text: "A former name. Location is the current address.", fields: [.location])
}

// MARK: - Pages of long lists

/// A page of a long list, and where the pages after it and before it begin.
package struct CursorPage<Page: Sendable, Cursor: CursorCoding & Sendable>: Sendable {
    package let page: Page
    package let next: Cursor?
    package let previous: Cursor?

    package init(page: Page, next: Cursor?, previous: Cursor?) {
        self.page = page
        self.next = next
        self.previous = previous
    }
}

extension ResponseKind {
    /// A page of a long list, with links to the pages before and after it.
    ///
    /// - Parameters:
    ///   - text: What the response is, in a sentence.
    ///   - members: The members of the page, besides its cursors.
    package static func page<Page, Cursor>(
        _ text: String, to _: Cursor.Type, _ members: [ObjectRepresentation<Page>.Member]
    ) -> Self where Output == CursorPage<Page, Cursor> {
        let type = ObjectRepresentation<LinkedPage<Page>>(
            nil, nil,
            members.map { $0.of { $0.page } } + [
                .init("nextCursor", CursorRepresentation()) { $0.next },
                .init("previousCursor", CursorRepresentation()) { $0.previous },
            ])
        return Self([.json(text, type.schema, fields: [.link])]) { output, context in
            let linked = LinkedPage(
                page: output.page, next: await context.sealed(output.next),
                previous: await context.sealed(output.previous))
            return context.linked(
                .json(linked, type, for: context.addresses), next: linked.next,
                previous: linked.previous)
        }
    }
}

private struct LinkedPage<Page: Sendable>: Sendable {
    let page: Page
    let next: String?
    let previous: String?
}

private struct CursorRepresentation: Representation {
    let schema = Schema(
        "Cursor",
        [
            "type": ["string", "null"], "maxLength": 2048,
            "description": "Where that page begins; null if there is none. Opaque and signed.",
        ], example: .string(Example.cursor))

    func write(_ value: String?, to json: inout JSONWriter, for site: SiteAddresses) {
        if let value { json.string(value) } else { json.null() }
    }
}
