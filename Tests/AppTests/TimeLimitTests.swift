import TestSupport
import Testing

@Suite("The limit of a test's time")
struct TimeLimitTests {
    @Test("names the test that hangs")
    func hang() async throws {
        let test = try #require(Test.current)
        let named = Recorder<String>()
        try await withKnownIssue {
            try await BlockingTrait(limit: .zero).provideScope(for: test, testCase: nil) {
                try await eventually("an issue") { named.count == 1 }
            }
        } matching: { issue in
            named.record("\(issue)")
            return true
        }
        #expect(named.elements.count == 1)
        #expect(named.elements.first?.contains("This test hangs") == true)
    }

    @Test("does not change what a test throws")
    func error() async throws {
        let test = try #require(Test.current)
        await #expect(throws: TestFailure.self) {
            try await BlockingTrait(limit: .seconds(3600)).provideScope(for: test, testCase: nil) {
                throw TestFailure("as intended")
            }
        }
    }
}
