import HTTP
import JSON
import Views

/// The OpenAPI document, and the same for people to read.
enum APIPage {
    private static let path = "/api"
    private static let file = "openapi.json"

    @Sendable
    static func document(_ call: Call) throws -> Response {
        try AssetLibrary.serve(file, to: call)
    }

    /// Reading the document takes longer than all other pages; its part of the page is the same for
    /// everyone, and is made when someone first asks.
    static func show(_ call: Call) throws -> Response {
        let services = call.services
        let reference = try services.assets.reference.value {
            HTML.api(APIReference(try JSONParser.parse(services.assets.contents(file) ?? [])))
        }
        let page = PageModel(
            "JSON API", description: "Every address of the JSON API, and what it takes and gives.",
            path: path, json: "/api/v1/openapi.json",
            // The query is no part of the page.
            context: PageContext(services, visitor: call.visitor, returnPath: path))
        return try Response.page(page, reference).conditional(for: call)
    }
}
