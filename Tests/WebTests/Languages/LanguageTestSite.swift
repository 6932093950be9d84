import TestSupport

extension TestServer {
    /// A server that offers English and the pseudo-languages.
    static func runInLanguages<Result>(
        _ contents: TestDatabase.Contents = .migrated, settings: [String: String] = [:],
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let languages = ["SITE_LANGUAGES": "en,en-XA,ar-XB"]
        return try await run(contents, settings: languages.merging(settings) { $1 }, body)
    }
}

extension RawResponse {
    /// The language of a page as its text says it.
    var pageLanguage: String? {
        text.firstMatch(of: /<html lang="([^"]*)"/).map { String($0.1) }
    }
}
