@testable import Endpoints
import JSON
import TestSupport
import Testing

@testable import Web

/// What generators of clients stumble over: names that a language has for something else, and schemas
/// without a name, for which each generator invents one.
@Suite("The names in the OpenAPI document", .blocking)
struct OpenAPINamesTests {
    private let document: OpenAPIDocument
    private var root: JSONValue { document.root }
    private var schemas: [String: JSONValue] { root["components"]?["schemas"]?.members ?? [:] }

    init() throws { document = try OpenAPIDocument.load() }

    /// Reserved words and the types that programs name without a module, in lower case. A schema must be
    /// none of them, however it is capitalized.
    private static let taken: [String: String] = [
        "TypeScript": """
        any array arraybuffer await bigint blob boolean break case catch class const continue date \
        debugger default delete document element else enum error event export extends false file finally \
        for formdata function headers if import in infinity instanceof interface intl json let \
        location map math nan never new node null number object omit package partial pick private \
        promise protected proxy public readonly record reflect regexp request required response \
        return set static storage string super switch symbol this throw true try type typeof \
        undefined unknown url var void while window with worker yield
        """,
        "Python": """
        and any as assert async await basemodel bool break bytes class classvar config continue \
        date datetime def del dict elif else enum except exception false field final finally float \
        for from generic global if import in int is iterable lambda list literal mapping model \
        none nonlocal not object optional or pass raise return self sequence set str true try tuple \
        type typing union uuid while with yield
        """,
        "Go": """
        any bool break byte case chan complex const context continue default defer else error \
        fallthrough false float for func go goto if import int interface iota map nil package range \
        return rune select string struct switch time true type uint var
        """,
        "Swift": """
        actor any anyhashable array as associatedtype async await bool break case catch character \
        class codable continue data date decimal decodable default defer deinit dictionary do double \
        else encodable enum equatable error extension fallthrough false fileprivate float for func \
        guard hashable identifiable if import in init inout int internal is let never nil \
        nonisolated notification open operator optional precedencegroup private protocol public \
        repeat result rethrows return self sendable sequence set static string struct subscript \
        substring super switch task throw throws timer true try type typealias uint url uuid var \
        void where while
        """,
        "Rust": """
        arc as async await box break clone const continue copy crate debug default drop dyn else \
        enum eq err extern false fn fn for from hash hashmap if impl in into iterator let loop match \
        mod move mut none ok option ord pub rc ref result return self send some static str string \
        struct super sync trait true type union unsafe use vec where while
        """,
        "Kotlin": """
        any array as boolean break byte char class collection comparable continue do double else \
        enum exception false float for fun if in int interface is iterable list long map nothing \
        null number object package pair regex result return sequence set short string super this \
        throw throwable triple true try typealias typeof unit val var when while
        """,
        "Java": """
        abstract assert boolean break byte case catch char character class collection collections \
        const continue date default do double else enum error exception extends final finally float \
        for goto if implements import instanceof int integer interface iterable list locale long map \
        module native new null number object objects optional override package private process \
        protected public record return runnable runtime set short static strictfp string super \
        switch synchronized system this thread throw throwable throws transient try uri url uuid \
        var void volatile while yield
        """,
        "C#": """
        abstract action as attribute base bool boolean break buffer byte case catch char checked \
        class console const continue convert datetime decimal default delegate dictionary do double \
        else enum environment event exception explicit extern false file finally fixed float for \
        foreach func goto guid if implicit in int int32 int64 interface internal is list lock long \
        namespace new null nullable object operator out override params private protected public \
        random readonly ref return sbyte sealed short sizeof stackalloc static stream string struct \
        switch task this thread throw timer true try tuple type typeof uint ulong unchecked unsafe \
        uri ushort using version virtual void volatile while
        """,
        "Ruby": """
        alias and array basicobject begin break case class comparable complex def defined dir do \
        else elsif encoding end ensure enumerable exception false fiber file float for hash if in \
        integer kernel marshal math method module mutex next nil not numeric object or proc process \
        queue random range rational redo regexp rescue retry return self set signal string struct \
        super symbol then thread time true undef unless until when while yield
        """,
        "the clients of OpenAPI Generator": """
        abstractopenapischema apiclient apiconfig apierror apiexception apikey apiresponse \
        apitypeerror apivalueerror basicauth baseapi configuration errorresponse fetchapi \
        fetchparams initoverridefunction jsonapiresponse jsonvalue mappednullable middleware \
        openapiclient requestbuilder requestcontext responsecontext serverconfiguration \
        servervariable textapiresponse voidapiresponse
        """,
        "openapi-python-client": "authenticatedclient client errors file types unset",
    ]

    @Test("are those of nothing else in nine languages")
    func languages() {
        #expect(Self.taken.count == 11)
        var words: [String: [String]] = [:]
        for (language, text) in Self.taken {
            for word in text.split(separator: " ") {
                words[String(word), default: []].append(language)
            }
        }
        #expect(words["list"]?.count == 4 && words.count > 300)
        for name in schemas.keys {
            #expect(words[name.lowercased()] == nil, "\(name)")
        }
        for operation in document.operations {
            #expect(words[operation.id.lowercased()] == nil, "\(operation.id)")
        }
    }

    @Test("are not those that generators make of another name")
    func derived() {
        for (kind, components) in root["components"]?.members ?? [:] {
            let names = components.members.keys
            for name in names {
                #expect(name.wholeMatch(of: /[A-Za-z][A-Za-z0-9]*/) != nil, "\(kind) \(name)")
            }
            #expect(Set(names.map { $0.lowercased() }).count == names.count, "\(kind)")
        }
        let ids = document.operations.map { SchemaNames.capitalized($0.id) }
        for name in schemas.keys {
            let others = schemas.keys.flatMap {
                // Constructors and pointers in Go; the members of an array, and of an `allOf`.
                ["New\($0)", "New\($0)WithDefaults", "Nullable\($0)", "\($0)Inner", "\($0)AllOf"]
            }
            #expect(!others.contains(name), "\(name)")
            // What holds the parameters of an operation, and its errors.
            #expect(!ids.contains { name == "Api\($0)Request" || name == "\($0)Error" }, "\(name)")
            #expect(name.wholeMatch(of: /.*([0-9]|Api|Params|Enum)/) == nil, "\(name)")
            // As in ListListCards.
            #expect(name.wholeMatch(of: /([A-Z][a-z]+)\1.*/) == nil, "\(name)")
        }
    }

    private static func isObject(_ schema: JSONValue) -> Bool {
        schema["properties"] != nil || schema["allOf"] != nil
    }

    @Test("are there for every object, and for no string that languages have a type for")
    func everywhere() {
        var count = 0
        // A schema by itself, and what it adds to others, belong to its name.
        let named = /#\/components\/schemas\/[A-Za-z0-9]+(\/allOf\/\d+)?/
        for (pointer, value) in document.values where !pointer.contains("/example") {
            for name in value["properties"]?.members.keys ?? [:].keys {
                #expect(name.wholeMatch(of: /[a-z][A-Za-z0-9_]*/) != nil, "\(pointer) \(name)")
            }
            guard Self.isObject(value) else { continue }
            count += 1
            #expect(pointer.wholeMatch(of: named) != nil, "\(pointer)")
        }
        #expect(count > 100)
        // Go has one name space for the constants of all enumerations.
        for (name, schema) in schemas { #expect(schema["enum"] == nil, "\(name)") }
    }

    /// All schemas that a value leads to.
    private func reach(_ value: JSONValue, _ found: inout [String: JSONValue], _ at: String) {
        if let name = value["$ref"]?.text {
            guard found[name] == nil else { return }
            found[name] = document.resolve(value)
            reach(document.resolve(value), &found, name)
        }
        found[at] = value
        for (name, member) in value.members where !name.hasPrefix("example") {
            reach(member, &found, "\(at)/\(name)")
        }
        for (index, element) in value.elements.enumerated() {
            reach(element, &found, "\(at)/\(index)")
        }
    }

    @Test("of values may be others in later versions where the server says them, and only there")
    func growing() {
        var said: [String: JSONValue] = [:]
        var asked: [String: JSONValue] = [:]
        for operation in document.operations where operation.path.hasPrefix("/api/v1") {
            for (status, response) in operation.value["responses"]?.members ?? [:] {
                reach(response, &said, "\(operation.name) \(status)")
            }
            reach(operation.value["requestBody"] ?? .null, &asked, operation.name)
            reach(operation.value["parameters"] ?? .null, &asked, operation.name)
        }
        for (name, webhook) in root["webhooks"]?.members ?? [:] {
            reach(webhook, &said, name)
        }
        for (pointer, value) in said { #expect(value["enum"] == nil, "\(pointer)") }
        for (pointer, value) in asked { #expect(value[Schema.knownValuesKey] == nil, "\(pointer)") }
        let kinds = said.values.filter { $0[Schema.knownValuesKey] != nil }
        #expect(kinds.count > 20)
        #expect(
            kinds.allSatisfy { $0["type"]?.text == "string" || $0["type"] == ["string", "null"] })
    }
}
