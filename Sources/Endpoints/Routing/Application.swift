package import HTTP
package import Logging
package import Sockets

/// The requirements of this module on an application. The type that holds the dependencies of its
/// handlers implements them.
package protocol Application: Sendable {
    /// Someone who is signed in with a browser.
    associatedtype Visitor: Sendable

    /// Where the site is.
    var addresses: SiteAddresses { get }
    /// The loop's compressor.
    var gzip: Gzip { get }
    var logger: Logger { get }
    /// Encrypts the cursors that clients carry.
    var cursorSeal: CursorSeal { get async }

    /// The pages, by their patterns. A form that is refused is shown again on its page.
    static var pages: [String: Route<Self>] { get }

    /// Checks that a form comes from a page that this browser was given.
    ///
    /// - Throws: 403 if the token does not belong to such a page.
    func checkFormToken(_ token: String?, of context: RequestContext<Self>) throws(Problem)

    /// Parses a form that may have files, away from the loop.
    func parseForm(
        _ body: [UInt8], type: MediaType, from client: ClientAddress
    ) async throws -> MultipartForm

    /// Carries out a request of the API unless that was done before, and otherwise responds as it did
    /// then.
    ///
    /// - Parameters:
    ///   - signIn: What the route asks for. The keys of each user are their own.
    ///   - handle: Carries it out with the services of the context that it gets.
    static func carryOut(
        _ context: RequestContext<Self>, once key: IdempotencyKey, signIn: SignIn,
        _ handle: (RequestContext<Self>) async throws -> Response
    ) async throws -> Response

    /// Notes what a handler has thrown, before it becomes a response.
    func note(_ error: any Error, of context: RequestContext<Self>)

    /// Turns the error of a refused form into a problem that names the faulty fields.
    ///
    /// - Returns: `nil` if the error is not a refusal of what the visitor asked for.
    func refusal(_ error: any Error, of form: FormItems) -> Problem?

    /// The problem of a request that failed for another reason, which is logged.
    ///
    /// - Returns: `nil` if the error leads to another page.
    func failure(_ error: any Error, of context: RequestContext<Self>) -> Problem?
}
