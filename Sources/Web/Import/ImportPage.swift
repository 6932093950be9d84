import CSV
import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Imports
import Languages
import Storage
import Views

/// The page where people import games, and pick from the suggestions.
enum ImportPage {
    private static let path = Path.importing
    private static let pageSize = 30

    private static let forms = RouteGroup<Visitor>(
        path, for: .visitor(returningTo: path), on: path)

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("left"), .text("deleted"),
            .cursor(ImportCursor.self), returns: .response, caching: .never,
            crawling: .disallowed
        ) { context, visitor, left, deleted, cursor in
            try await page(
                context, visitor, showsLeftOut: left != nil, at: cursor,
                notice: deleted == nil ? nil : .importDeleted)
        },
        forms.post(takes: .upload, costs: .upload, handler: begin),
        forms.post("/delete", handler: delete),
    ]

    @Sendable private static func begin(
        _ context: RequestContext, visitor: Visitor, upload: Upload
    ) async throws -> Response {
        do {
            let begun = try await context.services.importer.begin(
                upload.content, name: upload.fileName, of: visitor.user.id,
                for: context.client.siteName)
            guard begun != nil else { throw SignInRequired(returnPath: path) }
            return .seeOther(path)
        } catch let error as CSVError {
            throw Problem(.unprocessableContent, error.words, at: upload.field)
        } catch let error as ImportFault {
            throw Problem(.unprocessableContent, error.words, at: upload.field)
        }
    }

    @Sendable private static func delete(
        _ context: RequestContext, visitor: Visitor
    ) async throws -> Response {
        try await context.services.importer.delete(of: visitor.user)
        return .seeOther("\(path)?deleted=yes")
    }

    private static func page(
        _ context: RequestContext, _ visitor: Visitor, showsLeftOut: Bool = false,
        at cursor: ImportCursor? = nil,
        notice: Words? = nil
    ) async throws -> Response {
        let services = context.services
        let found = try await services.importer.current(userID: visitor.user.id)
        async let list = services.store.list(userID: visitor.user.id)
        var imported: ImportedGames?
        if let found {
            let rows = try await services.store.importRows(
                userID: visitor.user.id, areSuggested: !showsLeftOut, limit: pageSize, at: cursor)
            imported = ImportedGames(
                found, rows.rows, showsLeftOut: showsLeftOut, list: try await list,
                next: await context.sealed(rows.next), isFirst: cursor == nil)
        }
        var page = PageModel(
            .importYourGames,
            description: .aboutImporting,
            path: nil, section: .editor, context: context.pageContext)
        page.isIndexed = false
        // Until all games have been looked for, which takes some seconds.
        if found?.state == .running, context.sent?.problem == nil {
            page.script = services.assets.path("import.js")
            page.reloads = true
        }
        let form = context.fields(of: path, showing: ["file": "", "csv": ""])
        let content = View.importedGames(
            imported, FormKeys(token: context.formToken().token), notice: notice,
            problem: context.problem(besides: form), form: form, covers: page.covers)
        return .privatePage(page, content)
    }
}
