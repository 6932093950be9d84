import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import Views

extension Response {
    /// A page in the layout that all pages share.
    static func page(
        _ page: PageModel, _ content: View, status: HTTPResponse.Status = .ok
    ) -> Response {
        .html(.layout(page, content), in: page.language, status: status)
    }

    static func html(
        _ view: View, in language: Language, status: HTTPResponse.Status = .ok
    ) -> Response {
        Response(
            status: status,
            headerFields: [
                .contentType: MediaType.html.description, .contentLanguage: language.tag,
                .cacheControl: "no-cache",
            ],
            body: HTML(view, in: language).bytes)
    }

    /// A page that is for one person, or has a form's token. No one may store it.
    ///
    /// - Parameter problem: Why the page is shown again.
    static func privatePage(
        _ page: PageModel, _ content: View, problem: Problem? = nil,
        setting cookie: HTTPField? = nil
    ) -> Response {
        var response = Response.page(page, content, status: problem?.status ?? .ok)
        for field in problem?.headerFields ?? [:] { response.headerFields.append(field) }
        response.forbidCaching()
        if let cookie { response.headerFields.append(cookie) }
        return response
    }
}
