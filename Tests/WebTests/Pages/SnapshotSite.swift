import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import TestSupport

@testable import Web

/// The site that `Recorded/site.sql` fills, with the pages that it gives to anyone.
enum SnapshotSite {
    enum Visitor: String, Sendable {
        /// Someone who isn't signed in.
        case guest
        /// Has a list.
        case rob
        /// Follows rob, and has said “me too” to him.
        case ada
        /// A moderator without a list.
        case ann

        /// The secret of the session, or of a guest's forms.
        fileprivate var secret: String {
            let letter =
                switch self {
                case .guest: "g"
                case .rob: "R"
                case .ada: "a"
                case .ann: "n"
                }
            return String(repeating: letter, count: 42) + "A"
        }
    }

    private static let full = Result {
        let database = try TestDatabase(.migrated)
        let file = PageSnapshot.folder.appendingPathComponent("site.sql")
        try database.session().execute(String(contentsOf: file, encoding: .utf8))
        return database
    }

    /// Before anyone came.
    private static let empty = Result { try TestDatabase(.migrated) }

    /// - Parameter form: The fields to send; `nil` to get the page.
    static func page(
        _ target: String, for visitor: Visitor, isEmpty: Bool = false,
        sending form: [(String, String)]? = nil, of site: SiteIdentity = SiteIdentity()
    ) async throws -> (status: Int, html: String) {
        let name = visitor == .guest ? "__Host-form" : "__Host-session"
        var fields: HTTPFields = [.cookie: "\(name)=\(visitor.secret)"]
        var body: [UInt8] = []
        if let form {
            fields[.contentType] = "application/x-www-form-urlencoded"
            fields[.origin] = Browser.origin
            let token = SecretToken(visitor.secret)?.formToken() ?? ""
            let items = [("token", token)] + form
            body = Array(
                items.map { "\(escape($0))=\(escape($1))" }.joined(separator: "&").utf8)
        }
        let request = Request(
            method: form == nil ? .get : .post, target: try RequestTarget(parsing: target),
            authority: "fave.example", headerFields: fields, body: body)
        let database = try isEmpty ? empty.get() : full.get()
        return try await Services.on(database, of: site) { services, pool in
            try await onLoop(pool.loop) {
                pool.open()
                defer { pool.close() }
                let response = await Site(services).respond(to: request, from: .local)
                return (response.status.code, String(decoding: response.body, as: UTF8.self))
            }
        }
    }

    private static func escape(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
