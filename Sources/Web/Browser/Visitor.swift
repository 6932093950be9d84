import FaveGames
import Foundation
import HTTP
import Identity

/// Someone who is signed in with a browser.
struct Visitor: Sendable {
    let user: User
    let sessionID: UUID
    /// The session's secret, to which the forms of its pages are bound.
    let token: SecretToken
}

extension Services {
    /// Who sent a request, if the browser has a session.
    func visitor(_ request: Request) async throws -> Visitor? {
        guard
            let token = Cookie.session.value(in: request, isSecure: settings.isSecure)
                .flatMap(SecretToken.init),
            let session = try await accounts.browserSession(token)
        else { return nil }
        return Visitor(user: session.user, sessionID: session.id, token: token)
    }
}

extension Call {
    /// The visitor, who must be signed in.
    ///
    /// - Parameter returnPath: Where to come back to; the request's own address if `nil`.
    /// - Throws: `SignInRequired` if nobody is.
    func member(returnPath: String? = nil) throws(SignInRequired) -> Visitor {
        guard let visitor else {
            throw SignInRequired(returnPath: returnPath ?? context.returnPath)
        }
        return visitor
    }
}

/// A page is for those only who are signed in: the browser is sent to sign in first.
struct SignInRequired: Error {
    let returnPath: String?
}

/// What all pages of one request have in common.
struct PageContext: Sendable {
    let services: Services
    var visitor: Visitor?
    /// Where to go back to after signing in.
    var returnPath: String?

    init(_ services: Services, visitor: Visitor? = nil, returnPath: String? = nil) {
        self.services = services
        self.visitor = visitor
        self.returnPath = returnPath
    }
}

extension Call {
    var context: PageContext {
        PageContext(
            services, visitor: visitor,
            returnPath: request.method.isRead
                ? ReturnPath.of(request.target) : nil)
    }
}

/// A place of our own that someone goes back to after signing in.
enum ReturnPath {
    private static let maximumBytes = 1024

    /// Reads what came with a request.
    ///
    /// - Returns: `nil` for anything but a path of this site: the maker of a link must not
    ///   choose where people end up.
    static func parse(_ text: String?) -> String? {
        guard let text, text.utf8.count <= maximumBytes, text.hasPrefix("/"),
            // Browsers take two slashes, or a slash and a backslash, for the beginning of a host.
            !text.hasPrefix("//"), !text.contains("\\"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let target = try? RequestTarget(parsing: text), target.form == .origin,
            !isForSigningIn(target.segments)
        else { return nil }
        return text
    }

    static func of(_ target: RequestTarget) -> String? {
        target.path == "/" ? nil : parse(target.path + (target.query.map { "?\($0)" } ?? ""))
    }

    private static func isForSigningIn(_ segments: [String]) -> Bool {
        ["sign-in", "sign-up", "sign-out"].contains(segments.first ?? "")
    }

    /// Adds it to the address of a page to sign in on.
    static func appending(_ path: String?, to address: String) -> String {
        guard let path else { return address }
        return address + "?return=" + PercentCoding.encodeQueryValue(path)
    }
}
