import Foundation
import HTTP
import TestSupport
import Testing

@testable import Web

@Suite("The benchmark of reads")
struct BenchmarkTests {
    /// What `script/bench --only routes` has no request for.
    private static let leftOut: Set = [
        // These need a provider, or a mail server.
        "/sign-in/with/{provider}", "/sign-in/with/{provider}/callback", "/sign-up/name",
        "/sign-in/forgot",
        // Needs an app.
        "/oauth/authorize",
        // Needs a host of covers.
        "/covers/{size}/{cover}",
        // These look a secret up that was made for once.
        "/mail/confirm", "/sign-in/reset", "/circles/join",
        "/circles/join/card-{card}",
        // A redirect, which reads nothing.
        "/language",
    ]

    @Test("measures every route whose responses aren't constant")
    func everyRoute() throws {
        let script = try String(
            contentsOfFile: TestDatabase.repository + "/script/bench.d/routes.bash",
            encoding: .utf8)
        var measured: Set<String> = []
        // Each request is a line, in which variables of the shell stand for names and numbers.
        for line in script.split(separator: "\n") where line.hasPrefix("/") {
            let target = try RequestTarget(parsing: String(line.replacing("$", with: "x")))
            guard case .found(let route, _) = Routes.router.match(.get, target.segments) else {
                Issue.record("no route serves \(line)")
                continue
            }
            measured.insert(route.pattern)
        }
        let reads = Routes.all.filter { $0.method == .get && !$0.isConstant }.map(\.pattern)
        #expect(Set(reads).subtracting(measured) == Self.leftOut)
    }
}
