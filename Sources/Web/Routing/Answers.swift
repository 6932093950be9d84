import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import JSON
import Storage

/// A value as JSON.
struct JSONAnswer<Type: Representation & Sendable>: Answer where Type.Value: Sendable {
    let type: Type
    let text: String
    var status = HTTPResponse.Status.ok
    /// Whether the answer to a change has the tag that a read would give now.
    var isTagged = false
    /// Whether the route may redirect by throwing `Moved`.
    var mayMove = false
    /// Whether search engines may index the value. If `nil`, they may index every value.
    var isIndexed: (@Sendable (Type.Value) -> Bool)?

    func response(_ output: Type.Value, to call: Call) -> Response {
        let response = Response.json(output, type, status)
            .noIndex(unless: isIndexed?(output) ?? true)
        return isTagged ? response.tagged : response
    }

    var descriptions: [AnswerDescription] {
        let answer = AnswerDescription.json(
            text, type.schema, status: status,
            fields: (isTagged ? [.eTag] : []) + (isIndexed == nil ? [] : [.xRobotsTag]))
        guard mayMove else { return [answer] }
        return [
            answer,
            AnswerDescription(
                status: .temporaryRedirect,
                text: "A former username. Location is the owner's current address.",
                fields: [.location]),
        ]
    }
}

/// A page of a long list, with links to the pages before and after it.
struct PageAnswer<Page: Sendable, Cursor: CursorCoding & Sendable>: Answer {
    struct Output: Sendable {
        let page: Page
        let next: Cursor?
        let previous: Cursor?
    }

    let text: String
    private let type: ObjectRepresentation<Linked>

    fileprivate struct Linked: Sendable {
        let page: Page
        let next: String?
        let previous: String?
    }

    init(_ text: String, _ members: [ObjectRepresentation<Page>.Member]) {
        self.text = text
        type = ObjectRepresentation(
            nil, nil,
            members.map { $0.of { $0.page } } + [
                .init("nextCursor", CursorRepresentation()) { $0.next },
                .init("previousCursor", CursorRepresentation()) { $0.previous },
            ])
    }

    func response(_ output: Output, to call: Call) async -> Response {
        let linked = Linked(
            page: output.page, next: await call.sealed(output.next),
            previous: await call.sealed(output.previous))
        let response = Response.json(linked, type)
        return call.linked(response, next: linked.next, previous: linked.previous)
    }

    var descriptions: [AnswerDescription] { [.json(text, type.schema, fields: [.link])] }
}

private struct CursorRepresentation: Representation {
    let schema = Schema(
        "Cursor",
        [
            "type": ["string", "null"], "maxLength": 2048,
            "description": "Where that page begins; null if there is none. Opaque and signed.",
        ], example: .string(Example.cursor))

    func write(_ value: String?, to json: inout JSONWriter) {
        if let value { json.string(value) } else { json.null() }
    }
}

/// The answer to a request that created something, now or when the request first arrived.
struct CreatedAnswer: Answer {
    let schema: Schema
    let text: String
    var isTagged = false
    var isLocated = true

    func response(_ output: KeptAnswer, to call: Call) -> Response {
        var response = Response(
            status: .created,
            headerFields: [
                .contentType: MediaType.json.description, .cacheControl: "no-store",
            ], body: Array(output.body.utf8))
        response.headerFields[.location] = output.location
        if output.isRepeated { response.headerFields[.idempotencyReplayed] = "true" }
        return isTagged ? response.tagged : response
    }

    var descriptions: [AnswerDescription] {
        [
            .json(
                text, schema, status: .created,
                fields: (isLocated ? [.location] : []) + (isTagged ? [.eTag] : []))
        ]
    }
}

extension KeptAnswer {
    init<Type: Representation>(_ value: Type.Value, _ type: Type, location: String? = nil) {
        var json = JSONWriter()
        type.write(value, to: &json)
        self.init(location: location, body: String(decoding: json.bytes, as: UTF8.self))
    }
}

struct NoContentAnswer: Answer {
    func response(_ output: Void, to call: Call) -> Response { Response(status: .noContent) }

    var descriptions: [AnswerDescription] {
        [AnswerDescription(status: .noContent, text: "Done.")]
    }
}

/// A response that the handler makes itself.
struct ResponseAnswer: Answer {
    var descriptions: [AnswerDescription] = []

    func response(_ output: Response, to call: Call) -> Response { output }
}

// MARK: - Shorthands for declaring routes

extension Answer {
    /// - Parameters:
    ///   - text: What the answer is, in a sentence.
    ///   - mayMove: Whether the route may redirect by throwing `Moved`.
    ///   - isIndexed: Whether search engines may index the value. If `nil`, they may index every
    ///     value.
    static func json<Type>(
        _ type: Type, _ text: String, mayMove: Bool = false,
        isIndexed: (@Sendable (Type.Value) -> Bool)? = nil
    ) -> Self where Self == JSONAnswer<Type> {
        Self(type: type, text: text, mayMove: mayMove, isIndexed: isIndexed)
    }

    /// The answer to a change: what a read would answer now, with its tag.
    static func changed<Type>(_ type: Type) -> Self where Self == JSONAnswer<Type> {
        Self(type: type, text: "The changed version.", isTagged: true)
    }

    /// An object whose only member is an array.
    static func array<Type: Representation>(
        _ name: StaticString, of type: Type, _ description: String, atMost limit: Int? = nil,
        _ text: String
    ) -> Self where Self == JSONAnswer<ObjectRepresentation<[Type.Value]>> {
        Self(
            type: ObjectRepresentation(
                nil, nil,
                [.init(name, .array(of: type, atMost: limit), description) { $0 }]), text: text)
    }

    /// - Parameters:
    ///   - text: What the answer is, in a sentence.
    ///   - members: The members of the page, besides its cursors.
    static func page<Page, Cursor>(
        _ text: String, to _: Cursor.Type, _ members: [ObjectRepresentation<Page>.Member]
    ) -> Self where Self == PageAnswer<Page, Cursor> { Self(text, members) }
}

extension Answer where Self == CreatedAnswer {
    static func created(
        _ type: some Representation, _ text: String, isTagged: Bool = false,
        isLocated: Bool = true
    ) -> Self { Self(schema: type.schema, text: text, isTagged: isTagged, isLocated: isLocated) }
}

extension Answer where Self == NoContentAnswer {
    static var noContent: Self { Self() }
}

extension Answer where Self == ResponseAnswer {
    /// A response that the API's description leaves out.
    static var response: Self { Self() }

    static func response(_ descriptions: AnswerDescription...) -> Self {
        Self(descriptions: descriptions)
    }
}
