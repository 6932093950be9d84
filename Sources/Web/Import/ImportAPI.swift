import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Imports
import JSON
import Languages
import Storage
import Views

/// Imports games: a file becomes suggestions, and their owner picks from them. An import alone never
/// changes the list.
enum ImportAPI {
    private static let path = "/api/v1/me/import"

    static let routes = [
        Route(
            .post, path,
            .api(
                "importGames", .me, "Import games from elsewhere",
                """
                Takes the export of a list at IGDB, a collection at Grouvee, this site's own list, or \
                any CSV with a column for the name or IGDB's id of each game. The rows become \
                suggestions, in the place of those of an earlier file; the list stays as it is. \
                Columns are found by their headings, such as name, game, title, igdb_id, platform, \
                rating, review, tags, status and release_date. The games are looked for in the \
                background.
                """),
            takes: .user(.writeList), .csv,
            returns: .response(
                .json(
                    "The import, which has begun. Its address is in Location.",
                    V1.gameImport.schema, status: .accepted, fields: [.location])),
            fails: [.conflict], caching: .never, costs: .upload, handler: begin),

        Route(
            .get, path,
            .api("getImport", .me, "Get the import of games from elsewhere"),
            takes: .user(.read), returns: .json(V1.gameImport, "How far it is."),
            fails: [.notFound], caching: .never
        ) { context, user in
            guard let found = try await context.services.importer.current(userID: user.id) else {
                throw noImport
            }
            return found
        },

        Route(
            .get, "\(path)/rows",
            .api(
                "listImportRows", .me, "List the games from elsewhere",
                "Those whose game was looked for. While the import is running, more follow."),
            takes: .user(.read), .leftOut, .limit, .cursor(ImportCursor.self),
            returns: .page(
                "A page of the import.", to: ImportCursor.self,
                rowMembers), caching: .never
        ) { context, user, areLeftOut, limit, cursor in
            let found = try await context.services.store.importRows(
                userID: user.id, areSuggested: !areLeftOut, limit: limit, at: cursor)
            return .init(page: found.rows, next: found.next, previous: found.previous)
        },

        Route(
            .delete, path,
            .api(
                "deleteImport", .me, "Delete the import of games from elsewhere",
                "Succeeds if there is none, too."),
            takes: .user(.writeList), returns: .noContent
        ) { context, user in try await context.services.importer.delete(of: user) },

        Route(
            .get, "/api/v1/me/list.csv",
            .api(
                "getMyListFile", .myList, "Get the current user's list as CSV",
                """
                RFC 4180, in UTF-8 with a byte order mark. A field that a spreadsheet would take for a formula has an \
                apostrophe before it: one that begins with =, +, -, @, a tab or a carriage return, \
                or with apostrophes and then one of these. POST \(path) takes the apostrophe away \
                again.
                """),
            takes: .ownList(.read), returns: .response(ListFile.response), caching: .never
        ) { context, list in ListFile.response(list, of: context.services.settings.site) },
    ]

    private static let rowMembers: [ObjectRepresentation<[ImportRow]>.Member] = [
        .init(
            "rows", .array(of: V1.importRow, atMost: 100),
            "The best rated first, then in the file's order."
        ) { $0 }
    ]

    private static let noImport = Problem.notFound(.english("There is no import."))

    @Sendable private static func begin(
        _ context: RequestContext, user: User, file: [UInt8]
    ) async throws -> Response {
        let begun = try await context.services.importer.begin(
            file, name: "", of: user.id, for: context.client.siteName)
        guard let begun else { throw Problem.unauthorized(hadToken: true) }
        var response = Response.json(
            begun, V1.gameImport, for: context.addresses, .accepted)
        response.headerFields[.location] = path
        return response
    }
}

extension Input where Value == Bool {
    fileprivate static var leftOut: Self {
        var schema = Schema.boolean(example: false)
        schema.keywords["default"] = .bool(false)
        return .query(
            "leftOut", "Whether to list the rows that can't be picked.", schema
        ) { text throws(Problem) in
            switch text {
            case nil, "false": return false
            case "true": return true
            default: throw .invalidParameter("leftOut", "must be true or false")
            }
        }
    }
}
