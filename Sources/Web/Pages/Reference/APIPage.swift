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
        let page = PageModel(
            "JSON API", description: "Every address of the JSON API, and what it takes and gives.",
            path: "/api", json: "/api/v1/openapi.json", context: call.context)
        let model = Model(page: page, reference: call.services.reference)
        return try Response.html(call.services.views.render(.api, model))
            .conditional(for: call.request)
    }
}
