import Actions
import Encodings
import Endpoints
import FaveGames
import Foundation
import HTTP
import Identity
import Languages

/// Someone who is signed in with a browser.
package struct Visitor: Sendable {
    let user: User
    let sessionID: UUID
    /// The session's secret. It binds the forms on the session's pages to the session.
    let token: SecretToken
    let news: NewsVisit

    var bearer: Bearer { Bearer(user: user, sessionID: sessionID) }
}

extension Services {
    /// The visitor who sent a request, if the browser has a session.
    func visitor(_ request: Request) async throws -> Visitor? {
        guard
            let token = Cookie.session.value(in: request, at: settings.cookieSite)
                .flatMap(SecretToken.init),
            let session = try await accounts.browserSession(token)
        else { return nil }
        return Visitor(
            user: session.user, sessionID: session.id, token: token, news: session.news)
    }
}

extension RequestContext {
    /// The visitor, who must be signed in.
    ///
    /// - Parameter returnPath: The path to return to after signing in; the request's own if `nil`.
    /// - Throws: `SignInRequired` if no one is signed in.
    func signedInVisitor(returnPath: String? = nil) throws(SignInRequired) -> Visitor {
        guard let visitor else {
            throw SignInRequired(returnPath: returnPath ?? pageContext.returnPath)
        }
        return visitor
    }
}

/// The page is only for people who are signed in, so the browser is sent to sign in first.
struct SignInRequired: Error {
    let returnPath: String?

    init(returnPath: String?) { self.returnPath = returnPath }

    /// - Returns: `nil` unless the error means this for someone who has opened a page.
    init?(_ error: any Error, _ visitor: Visitor?) {
        switch error {
        case let error as SignInRequired: self = error
        case is AccountGone where visitor != nil: self.init(returnPath: nil)
        default: return nil
        }
    }
}

/// What all pages of one request have in common.
struct PageContext: Sendable {
    let services: Services
    let language: Language
    var visitor: Visitor?
    /// The path to return to after signing in.
    var returnPath: String?
    /// The path and query of the page, for links to it in other languages.
    var address: String?

    init(
        _ services: Services, _ language: Language, visitor: Visitor? = nil,
        returnPath: String? = nil, address: String? = nil
    ) {
        self.services = services
        self.language = language
        self.visitor = visitor
        self.returnPath = returnPath
        self.address = address
    }
}

extension RequestContext {
    var pageContext: PageContext {
        PageContext(
            services, language, visitor: visitor,
            returnPath: request.method.isRead ? ReturnPath.of(request.target) : nil,
            address: ReturnPath.ofPage(request, services.settings))
    }
}

/// A path of this site that the browser returns to after signing in.
enum ReturnPath {
    private static let maximumBytes = 1024

    /// Reads a return path that came with a request.
    ///
    /// - Returns: `nil` for anything but a path of this site: the author of a link must not choose
    ///   where people end up.
    static func parse(_ text: String?, to place: Place = .signedIn) -> String? {
        guard let text, text.utf8.count <= maximumBytes, text.hasPrefix("/"),
            // Browsers read two slashes, or a slash and a backslash, as the start of a host.
            !text.hasPrefix("//"), !text.contains("\\"),
            text.utf8.allSatisfy(\.isASCIIVisible),
            let target = try? RequestTarget(parsing: text), target.form == .origin,
            place == .anyPage || !isForSigningIn(target.segments)
        else { return nil }
        return text
    }

    /// Where a path may lead to.
    enum Place {
        /// Where people can be once they are signed in.
        case signedIn
        case anyPage
    }

    static func of(_ target: RequestTarget) -> String? {
        target.path == "/" ? nil : parse(target.path + (target.query.map { "?\($0)" } ?? ""))
    }

    /// Where to return to after choosing another language; `nil` if that is the home page.
    static func ofPage(_ request: Request, _ settings: WebSettings) -> String? {
        guard settings.languages.areSeveral, request.method.isRead else { return nil }
        // What a provider sends is valid once.
        guard !request.target.path.hasPrefix(ProviderSignIn.folder) else { return SignInPage.path }
        let address = PageAddress.withoutLanguage(request.target)
        return address == "/" ? nil : parse(address, to: .anyPage)
    }

    private static func isForSigningIn(_ segments: [String]) -> Bool {
        ["sign-in", "sign-up", "sign-out"].contains(segments.first ?? "")
    }

    /// Appends a return path to the address of a page for signing in.
    static func appending(_ path: String?, to address: String) -> String {
        guard let path else { return address }
        return address + "?return=" + PercentCoding.encodeQueryValue(path)
    }
}
