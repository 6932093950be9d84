import HTTPTypes
import Testing

@testable import HTTP

@Suite("Preconditions")
struct PreconditionsTests {
    private static let current = EntityTag(opaque: "a")
    private static let modified = 784_111_777
    private static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let earlier = "Sun, 06 Nov 1994 08:49:36 GMT"

    private func outcome(
        _ method: HTTPRequest.Method, _ fields: HTTPFields, tag: EntityTag? = current,
        lastModified: Int? = modified, exists: Bool = true
    ) throws -> Preconditions.Outcome {
        try Preconditions(method: method, headerFields: fields)
            .evaluate(entityTag: tag, lastModified: lastModified, exists: exists)
    }

    @Test("that are absent let every method proceed")
    func absent() throws {
        #expect(try outcome(.get, [:]) == .proceed)
        #expect(try outcome(.put, [:], tag: nil, exists: false) == .proceed)
    }

    @Test("of If-Match compare strongly")
    func ifMatch() throws {
        #expect(try outcome(.put, [.ifMatch: "\"a\""]) == .proceed)
        #expect(try outcome(.put, [.ifMatch: "\"b\", \"a\""]) == .proceed)
        #expect(try outcome(.put, [.ifMatch: "*"]) == .proceed)
        #expect(try outcome(.put, [.ifMatch: "\"b\""]) == .preconditionFailed)
        #expect(try outcome(.get, [.ifMatch: "\"b\""]) == .preconditionFailed)
        #expect(try outcome(.put, [.ifMatch: "W/\"a\""]) == .preconditionFailed)
        let weak = EntityTag(opaque: "a", isWeak: true)
        #expect(try outcome(.put, [.ifMatch: "W/\"a\""], tag: weak) == .preconditionFailed)
        #expect(try outcome(.put, [.ifMatch: "*"], exists: false) == .preconditionFailed)
        #expect(try outcome(.put, [.ifMatch: "\"a\""], tag: nil) == .preconditionFailed)
        #expect(try outcome(.put, [.ifMatch: "\"a\""], exists: false) == .preconditionFailed)
    }

    @Test("depend on the representation unless any will do")
    func needsRepresentation() {
        func needsIt(_ fields: HTTPFields) -> Bool {
            Preconditions(method: .put, headerFields: fields).needsRepresentation
        }
        #expect(needsIt([.ifMatch: "\"a\""]))
        #expect(needsIt([.ifNoneMatch: "W/\"a\", \"b\""]))
        #expect(needsIt([.ifMatch: "*", .ifNoneMatch: "\"b\""]))
        #expect(needsIt([.ifNoneMatch: "*"]))
        #expect(!needsIt([.ifMatch: "*"]))
        #expect(!needsIt([.ifMatch: "a"]))
        #expect(!needsIt([.ifModifiedSince: Self.same]))
    }

    @Test("of If-Unmodified-Since count only without If-Match and with a valid date")
    func ifUnmodifiedSince() throws {
        #expect(try outcome(.put, [.ifUnmodifiedSince: Self.same]) == .proceed)
        #expect(try outcome(.put, [.ifUnmodifiedSince: Self.earlier]) == .preconditionFailed)
        #expect(try outcome(.put, [.ifUnmodifiedSince: "yesterday"]) == .proceed)
        #expect(
            try outcome(.put, [.ifUnmodifiedSince: Self.earlier], lastModified: nil) == .proceed)
        let both: HTTPFields = [.ifMatch: "\"a\"", .ifUnmodifiedSince: Self.earlier]
        #expect(try outcome(.put, both) == .proceed)
    }

    @Test("of If-None-Match compare weakly, and respond to reads with 304")
    func ifNoneMatch() throws {
        for value in ["\"a\"", "W/\"a\"", "\"b\", W/\"a\"", "*"] {
            #expect(try outcome(.get, [.ifNoneMatch: value]) == .notModified)
            #expect(try outcome(.head, [.ifNoneMatch: value]) == .notModified)
            #expect(try outcome(.put, [.ifNoneMatch: value]) == .preconditionFailed)
        }
        #expect(try outcome(.get, [.ifNoneMatch: "\"b\""]) == .proceed)
        #expect(try outcome(.put, [.ifNoneMatch: "*"], tag: nil, exists: false) == .proceed)
    }

    @Test("of If-Modified-Since count only for reads without If-None-Match")
    func ifModifiedSince() throws {
        #expect(try outcome(.get, [.ifModifiedSince: Self.same]) == .notModified)
        #expect(try outcome(.head, [.ifModifiedSince: Self.same]) == .notModified)
        #expect(try outcome(.get, [.ifModifiedSince: Self.earlier]) == .proceed)
        #expect(try outcome(.get, [.ifModifiedSince: "x"]) == .proceed)
        #expect(try outcome(.get, [.ifModifiedSince: Self.same], lastModified: nil) == .proceed)
        #expect(try outcome(.post, [.ifModifiedSince: Self.same]) == .proceed)
        let both: HTTPFields = [.ifNoneMatch: "\"b\"", .ifModifiedSince: Self.same]
        #expect(try outcome(.get, both) == .proceed)
    }

    @Test("are evaluated in order: If-Match before If-None-Match")
    func order() throws {
        let fields: HTTPFields = [.ifMatch: "\"b\"", .ifNoneMatch: "\"a\""]
        #expect(try outcome(.get, fields) == .preconditionFailed)
        let met: HTTPFields = [.ifMatch: "\"a\"", .ifNoneMatch: "\"a\""]
        #expect(try outcome(.get, met) == .notModified)
    }

    @Test("of several fields are one list")
    func severalFields() throws {
        var fields = HTTPFields()
        fields[values: .ifNoneMatch] = ["\"b\"", "\"a\""]
        #expect(try outcome(.get, fields) == .notModified)
    }

    @Test("don't hold for methods without a representation", arguments: ["OPTIONS", "TRACE"])
    func otherMethods(name: String) throws {
        let method = try #require(HTTPRequest.Method(name))
        #expect(try outcome(method, [.ifMatch: "\"b\""]) == .proceed)
    }

    @Test("that are malformed are an error unless only a read is at stake")
    func malformed() throws {
        for method in [HTTPRequest.Method.get, .put] {
            #expect(throws: RequestError(.invalidEntityTags)) {
                try outcome(method, [.ifMatch: "a"])
            }
        }
        #expect(throws: RequestError(.invalidEntityTags)) {
            try outcome(.put, [.ifNoneMatch: "a"])
        }
        #expect(try outcome(.get, [.ifNoneMatch: "a"]) == .proceed)
    }
}
