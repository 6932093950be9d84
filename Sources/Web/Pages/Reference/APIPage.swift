import HTTP

/// The OpenAPI document, and the same for people to read.
enum APIPage {
    struct Model: Sendable {
        let page: PageModel
        let reference: APIReference
    }

    @Sendable
    static func document(_ call: Call) throws -> Response {
        try AssetLibrary.serve(APIReference.file, to: call)
    }

    static func show(_ call: Call) throws -> Response {
        guard call.visitor == nil else {
            return try response(render(call.services, call.context), to: call)
        }
        let html = call.services.reference.page.value {
            // Nothing of this one request: it is for all who are not signed in.
            render(call.services, PageContext(call.services, returnPath: path))
        }
        return try response(html, to: call)
    }

    private static let path = "/api"

    private static func render(_ services: Services, _ context: PageContext) -> String {
        let page = PageModel(
            "JSON API", description: "Every address of the JSON API, and what it takes and gives.",
            path: path, json: "/api/v1/openapi.json", context: context)
        return services.views.render(.api, Model(page: page, reference: services.reference))
    }

    private static func response(_ html: String, to call: Call) throws -> Response {
        try Response.html(html).conditional(for: call.request)
    }
}
