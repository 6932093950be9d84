import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Identity
import Languages
import Storage
import Views

/// The page where people register their own apps, so that others can sign in to them. An app doesn't
/// change: it is removed and registered again.
enum AppsPage {
    static let path = "/settings/apps"

    private static let forms = RouteGroup<Visitor>(
        path, for: .visitor(returningTo: path), on: path)

    static let routes = [
        Route(
            .get, path, .page, takes: .visitor, .text("done"), returns: .response, caching: .never
        ) { context, visitor, done in
            try await page(context, visitor, notice: done.flatMap(Done.init)?.text)
        },
        forms.post(takes: .form(NewApp.self), costs: .dear, handler: register),
        forms.post("/{app}/remove", takes: .app, handler: remove),
    ]

    private enum Done: String {
        case registered, removed

        var text: Words {
            switch self {
            case .registered: .appRegistered
            case .removed: .appRemoved
            }
        }
    }

    private struct NewApp: RequestBody {
        let name: TokenName
        let address: WebAddress
        let redirects: [WebAddress]

        init?(from reader: inout JSONObjectReader) {
            let name = reader.required("name", .tokenName)
            let address = reader.required("address", .webAddress)
            let redirects = reader.required("redirects", .redirects)
            guard let name, let address, let redirects else { return nil }
            self.name = name
            self.address = address
            self.redirects = redirects
        }
    }

    @Sendable private static func register(
        _ context: RequestContext, visitor: Visitor, new: NewApp
    ) async throws -> Response {
        try await context.services.accounts.register(
            new.name, address: new.address.text, redirects: new.redirects.map(\.text),
            by: visitor.user)
        return .seeOther("\(path)?done=\(Done.registered.rawValue)")
    }

    @Sendable private static func remove(
        _ context: RequestContext, visitor: Visitor, app: UUID
    ) async throws -> Response {
        try await context.services.accounts.removeApp(app, of: visitor.user)
        return .seeOther("\(path)?done=\(Done.removed.rawValue)")
    }

    private static func page(
        _ context: RequestContext, _ visitor: Visitor, notice: Words?
    ) async throws -> Response {
        var page = PageModel(
            .yourApps, description: .aboutYourApps, path: nil,
            section: .settings, context: context.pageContext)
        page.isIndexed = false
        let form = context.fields(
            of: path, showing: ["name": "", "address": "", "redirects": ""])
        let content = View.apps(
            FormKeys(token: context.formToken().token), notice: notice,
            problem: context.problem(besides: form),
            apps: try await context.services.store.apps(userID: visitor.user.id).map {
                AppRow($0, id: $0.id.text, action: "\(path)/\($0.id.text)/remove")
            },
            form: form, addressLimit: WebAddress.limit)
        return .privatePage(page, content)
    }
}

extension BodyMember where Value == WebAddress {
    fileprivate static var webAddress: Self {
        .parsed(
            .text(1...WebAddress.limit, example: "https://shelf.example"),
            .mustBeAddress(like: "https://shelf.example")
        ) { WebAddress($0.trimmingCharacters(in: .whitespaces)) }
    }
}

extension BodyMember where Value == [WebAddress] {
    fileprivate static var redirects: Self {
        let limit = ClientApp.redirectLimit
        return .parsed(
            .text(1...(WebAddress.limit + 2) * limit, example: "https://shelf.example/signed-in"),
            .redirectsForm(limit)
        ) { text in
            let lines = text.split(whereSeparator: \.isNewline).map(String.init)
            let addresses = lines.compactMap {
                WebAddress($0.trimmingCharacters(in: .whitespaces))
            }
            return addresses.count == lines.count && (1...limit).contains(lines.count)
                ? addresses : nil
        }
    }
}

extension Input where Value == UUID {
    fileprivate static var app: Self { .id("app", "The app's id.", example: Example.user) }
}
