import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import JSON
import Languages
import Views
import Work

/// The OpenAPI document, and a page that shows the same to people.
enum APIPage {
    private static let path = "/api"
    private static let documentPath = "/api/v1/openapi.json"

    static let routes = [
        Route(.get, path, .page, returns: .response, caching: .constant, handler: show),
        Route(
            .get, documentPath,
            .service(
                .api, "getDocument", "Get this document", "/api shows it as a page."),
            returns: .response(
                .json(
                    "An OpenAPI 3.1 document.",
                    Schema(
                        ["type": "object", "description": "An OpenAPI document."],
                        example: ["openapi": "3.1.0"]),
                    fields: [.eTag, .lastModified]))
        ) { context in
            let services = context.services
            let document = services.assets.openAPIDocument(at: services.settings.publicURL)
            return try services.assets.serve(document, to: context)
        },
    ]

    /// Making a page of the document takes longer than any other page. The document's part of the
    /// page is the same for everyone, so it is made once, on first use.
    @Sendable private static func show(_ context: RequestContext) throws -> Response {
        let services = context.services
        let settings = services.settings
        let reference = services.assets.reference.value {
            let api = OpenAPI.of(settings.site, at: settings.publicURL)
            let view = View.api(
                APIReference(api.document(Routes.all)), site: settings.publicURL)
            // The API is described in English only.
            return HTML(view, in: .en)
        }
        let page = PageModel(
            .jsonAPI, description: .aboutAPI,
            path: path, json: documentPath,
            // The return path omits the query, which is not part of the page.
            context: PageContext(
                services, context.language, visitor: context.visitor, returnPath: path,
                address: path))
        return Response.page(page, View(reference))
    }
}
