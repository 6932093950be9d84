import Endpoints
import HTTP
import HTTPTypes
import Views

extension Response {
    /// A page in the layout that all pages share.
    static func page(
        _ page: PageModel, _ content: HTML, status: HTTPResponse.Status = .ok
    ) -> Response {
        .html(.layout(page, content), status: status)
    }

    static func html(_ html: HTML, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headerFields: [
                .contentType: MediaType.html.description, .cacheControl: "no-cache",
            ],
            body: html.bytes)
    }

    /// A page that is for one person, or has a form's token. No one may store it.
    ///
    /// - Parameter problem: Why the page is shown again.
    static func privatePage(
        _ page: PageModel, _ content: HTML, problem: Problem? = nil,
        setting cookie: HTTPField? = nil
    ) -> Response {
        var response = Response.page(page, content, status: problem?.status ?? .ok)
        for field in problem?.headerFields ?? [:] { response.headerFields.append(field) }
        response.forbidCaching()
        if let cookie { response.headerFields.append(cookie) }
        return response
    }
}
