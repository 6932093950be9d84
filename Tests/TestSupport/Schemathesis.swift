import Foundation

/// Asks a server for what its OpenAPI document does not say, with requests made up from the document:
/// <https://schemathesis.io>. `Tests/Python/schemathesis.toml` says what it looks for.
public enum Schemathesis {
    /// - Parameters:
    ///   - document: Its text.
    ///   - variables: What the configuration names.
    public static func run(
        _ document: String, at url: String, variables: [String: String]
    ) throws -> PythonTools.Report {
        try PythonTools.run(variables: variables) { folder in
            let file = folder + "/openapi.json"
            try document.write(toFile: file, atomically: true, encoding: .utf8)
            return [
                "-m", "schemathesis.cli", "--config-file",
                TestDatabase.repository + "/Tests/Python/schemathesis.toml", "run", file, "--url",
                url, "--no-color",
            ]
        }
    }
}
