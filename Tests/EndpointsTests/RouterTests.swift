import HTTPTypes
import Testing

@testable import Endpoints

@Suite("The router")
struct RouterTests {
    private let router: Router<String> = {
        var router = Router<String>()
        router.add(.get, "/", "home")
        router.add(.get, "/platforms", "platforms")
        router.add(.get, "/platforms/{platform}", "platform")
        router.add(.get, "/platforms/new", "new platform")
        router.add(.get, "/@{username}", "user")
        router.add(.get, "/@admin", "admin")
        router.add(.get, "/{anything}", "anything")
        router.add(.get, "/@{username}/{platform}", "list")
        router.add(.put, "/@{username}/{platform}", "replace list")
        router.add(.delete, "/@{username}/{platform}/entries/{entry}", "remove entry")
        router.add(.post, "/search/", "search")
        router.add(.head, "/check", "head only")
        return router
    }()

    private func found(
        _ segments: [String], _ method: HTTPRequest.Method = .get, _ names: String...
    ) -> String? {
        guard case .found(let handler, let parameters) = router.match(method, segments) else {
            return nil
        }
        return ([handler] + names.map { parameters[$0] ?? "nil" }).joined(separator: " ")
    }

    private func allowed(_ segments: [String], _ method: HTTPRequest.Method) -> [String]? {
        guard case .methodNotAllowed(let allowed, _) = router.match(method, segments) else {
            return nil
        }
        return allowed.map(\.rawValue)
    }

    private func isNotFound(_ segments: [String]) -> Bool {
        guard case .notFound = router.match(.get, segments) else { return false }
        return true
    }

    @Test("finds literal paths")
    func literals() {
        #expect(found([]) == "home")
        #expect(found(["platforms"]) == "platforms")
    }

    @Test("reads parameters by their names")
    func parameters() {
        #expect(found(["platforms", "ps4"], .get, "platform", "other") == "platform ps4 nil")
        #expect(found(["@ann", "ps 4"], .get, "username", "platform") == "list ann ps 4")
        let entry = found(
            ["@ann", "pc", "entries", "3"], .delete, "username", "platform", "entry")
        #expect(entry == "remove entry ann pc 3")
    }

    @Test("prefers a literal to a beginning, and that to a parameter")
    func preference() {
        #expect(found(["platforms", "new"]) == "new platform")
        #expect(found(["@admin"]) == "admin")
        #expect(found(["@adminx"], .get, "username") == "user adminx")
        #expect(found(["admin"], .get, "anything") == "anything admin")
        #expect(found(["@"], .get, "anything") == "anything @")
        #expect(found(["@@"], .get, "username") == "user @")
    }

    @Test("does not go back once a segment has matched")
    func noGoingBack() {
        // "@admin" is the literal, below which there is nothing.
        #expect(isNotFound(["@admin", "pc"]))
    }

    @Test("tells cases apart")
    func cases() {
        #expect(found(["Platforms"], .get, "anything") == "anything Platforms")
    }

    @Test("responds to HEAD by the route of GET")
    func head() {
        #expect(found([], .head) == "home")
        #expect(found(["check"], .head) == "head only")
        #expect(allowed(["check"], .get) == ["HEAD", "OPTIONS"])
    }

    @Test("tells which methods a path has")
    func methodNotAllowed() {
        #expect(allowed(["platforms"], .post) == ["GET", "HEAD", "OPTIONS"])
        #expect(allowed(["@ann", "pc"], .delete) == ["GET", "HEAD", "OPTIONS", "PUT"])
        #expect(allowed(["@ann", "pc", "entries", "1"], .get) == ["DELETE", "OPTIONS"])
        #expect(allowed(["@ann", "pc"], .options) == ["GET", "HEAD", "OPTIONS", "PUT"])
        #expect(allowed([], .put) == ["GET", "HEAD", "OPTIONS"])
    }

    @Test("tells a method that no path has from one that this path does not have")
    func methodNotImplemented() {
        for method in ["TRACE", "FOO", "get", "PATCH"] {
            for segments in [[], ["platforms"], ["platforms", "ps4", "more"]] {
                guard let method = HTTPRequest.Method(method),
                    case .methodNotImplemented = router.match(method, segments)
                else {
                    Issue.record("\(method) \(segments)")
                    continue
                }
            }
        }
        #expect(allowed(["platforms"], .put) != nil && allowed(["platforms"], .delete) != nil)
    }

    @Test("finds nothing where no route ends")
    func notFound() {
        #expect(isNotFound(["platforms", "ps4", "more"]))
        #expect(isNotFound(["@ann", "pc", "entries"]))
        #expect(isNotFound(["a", "b"]))
    }

    @Test("matches no parameter with an empty segment, and no path without its slash at the end")
    func emptySegments() {
        #expect(isNotFound([""]))
        #expect(isNotFound(["platforms", ""]))
        #expect(isNotFound(["@ann", ""]))
        #expect(isNotFound(["", "platforms"]))
        #expect(found(["search", ""], .post) == "search")
        #expect(isNotFound(["search"]))
    }

    @Test("of no routes finds nothing")
    func empty() {
        guard case .notFound = Router<Int>().match(.get, []) else {
            Issue.record("found something")
            return
        }
    }

    @Test("stops the program at a route that is declared twice or malformed")
    func preconditions() async {
        await #expect(processExitsWith: .failure) {
            var router = Router<Int>()
            router.add(.get, "/a/{b}", 1)
            router.add(.get, "/a/{c}", 2)
        }
        await #expect(processExitsWith: .failure) {
            var router = Router<Int>()
            router.add(.get, "a", 1)
        }
        await #expect(processExitsWith: .failure) {
            var router = Router<Int>()
            router.add(.get, "/{a}b", 1)
        }
        await #expect(processExitsWith: .failure) {
            var router = Router<Int>()
            router.add(.get, "/@{a}", 1)
            router.add(.get, "/~{a}", 1)
        }
    }
}
