import Foundation
import Mustache

/// The templates of the folder `Views`, all read and checked at start.
public struct ViewLibrary: Sendable {
    private let library: MustacheLibrary

    /// - Throws: `ViewError` that names the file, if one cannot be read or parsed, lacks the line
    ///   that makes escaping safe, writes unescaped, or includes a template that is not there; or
    ///   if a page's template is missing.
    public init(folder: String) throws(ViewError) {
        MustacheContentTypes.register(SafeHTML(), named: SafeHTML.name)
        MustacheContentTypes.register(SafeJSON(), named: SafeJSON.name)
        let sources = try Self.read(folder)
        var templates: [String: MustacheTemplate] = [:]
        for (name, source) in sources {
            try Self.check(name, source, known: Set(sources.keys))
            do {
                templates[name] = try MustacheTemplate(string: source)
            } catch {
                throw ViewError(name, "cannot be parsed: \(error)")
            }
        }
        for view in View.allCases where templates[view.rawValue] == nil {
            throw ViewError(view.rawValue, "is missing in \(folder)")
        }
        library = MustacheLibrary(templates: templates)
    }

    private static func read(_ folder: String) throws(ViewError) -> [String: String] {
        guard let names = FileManager.default.subpaths(atPath: folder) else {
            throw ViewError(folder, "cannot be read; is it the folder with the templates?")
        }
        var sources: [String: String] = [:]
        for name in names where name.hasSuffix(".mustache") {
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)"),
                let source = String(data: data, encoding: .utf8)
            else { throw ViewError(name, "cannot be read as UTF-8") }
            sources[String(name.dropLast(".mustache".count))] = source
        }
        return sources
    }

    private static func check(
        _ name: String, _ source: String, known: Set<String>
    ) throws(ViewError) {
        // The one place for JSON: nothing else of a page is safe to write so.
        if source.wholeMatch(of: dataBlock) != nil { return }
        guard source.hasPrefix("{{% CONTENT_TYPE: \(SafeHTML.name)}}\n") else {
            throw ViewError(name, "must begin with {{% CONTENT_TYPE: \(SafeHTML.name)}}")
        }
        // Other delimiters would hide the same from this check.
        guard !source.contains("{{{"), !source.contains("{{&"), !source.contains("{{=") else {
            throw ViewError(name, "writes a value without escaping it")
        }
        for match in source.matches(of: /\{\{[<>]\s*([^}\s]+)\s*\}\}/)
        where !known.contains(String(match.1)) {
            throw ViewError(name, "includes \(match.1), which is not there")
        }
    }

    private static var dataBlock: Regex<Substring> {
        /\{\{% CONTENT_TYPE: SafeJSON\}\}\n<script type="application\/ld\+json">\{\{\.\}\}<\/script>\n/
    }

    /// Renders a page.
    ///
    /// - Parameter model: A struct whose stored properties have the names that the template uses.
    func render(_ view: View, _ model: some Sendable) -> String {
        guard let html = library.render(model, withTemplate: view.rawValue) else {
            preconditionFailure("\(view.rawValue) was there at start")
        }
        return html
    }
}

/// The templates that are pages.
enum View: String, CaseIterable {
    case home, platforms, ranking, game, games, list, embed, users, entries, kindred, settings,
        editor, api, `continue`, error, problems
    case problemKind = "problem-kind"
    case signIn = "sign-in"
    case signUp = "sign-up"
    case signOut = "sign-out"
    case platformGame = "platform-game"
}

/// A template that cannot be used.
public struct ViewError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ name: String, _ what: String) {
        description = "The template \(name) \(what)."
    }
}
