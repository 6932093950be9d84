import Actions
import Endpoints
import FaveGames
import HTTP
import Identity
import Languages
import Storage
import Views

// Signing a browser in and out.
extension RequestContext {
    /// Signs up someone new, signs their browser in, and saves the list that they began in it: all of
    /// this or nothing.
    ///
    /// - Parameter signUp: Makes the account, with the context that it is given.
    func open(
        returnPath: String?, _ signUp: (RequestContext) async throws -> Accounts.Proof
    ) async throws -> (proof: Accounts.Proof, response: Response) {
        try await services.store.together { store in
            var context = self
            context.services = services.writing(to: store)
            let proof = try await signUp(context)
            // Their mail and pictures are in the language that they signed up in.
            if language != services.settings.languages.site {
                _ = try await context.profiles.change(
                    proof.user, ProfileChanges(language: language.tag))
            }
            return (proof, try await context.open(proof, returnPath: returnPath))
        }
    }

    /// Signs the browser in and sends it back to where it came from. If that is a list that was begun
    /// before signing in, saves the list and leads to its page for sharing. Someone who was about to
    /// join a circle has joined it then.
    func open(_ proof: Accounts.Proof, returnPath: String?) async throws -> Response {
        let accounts = services.accounts
        let old = Cookie.session.value(in: request, at: services.settings.cookieSite)
        let device = device ?? SecretToken()
        let token = try await accounts.openBrowserSession(
            proof, from: origin, in: device, replacing: old.flatMap(SecretToken.init))
        var next = returnPath ?? Path.list(proof.user.username)
        // The last write of a sign-up, since it locks the counts of popular games until the commit.
        if next == Path.guestDraft, try await saveGuestDraft(for: proof.user) {
            next = Path.sharing(proof.user.username) + "?saved"
        }
        if let circle = await CircleInvitationPage.finishJoining(
            self, as: proof.user, returnPath: next)
        {
            next = circle
        }
        var response = Response.seeOther(next)
        response.headerFields.append(
            Cookie.session.setting(
                token.text, maximumAge: accounts.policy.sessionLifetime.absolute,
                at: services.settings.cookieSite))
        response.headerFields.append(
            Cookie.device.setting(
                device.text, maximumAge: .seconds(Retention.deviceDays * 86_400),
                at: services.settings.cookieSite))
        for cookie in [Cookie.newcomer, .invitation] where cookie.mayBe(in: request) {
            response.headerFields.append(cookie.removing(at: services.settings.cookieSite))
        }
        return response
    }

    /// The invitation that the browser stores during sign-up.
    var invitation: SecretToken? {
        Cookie.invitation.value(in: request, at: services.settings.cookieSite)
            .flatMap(SecretToken.init)
    }

    /// What the site offers this browser's visitor.
    var signUpOffer: SignUpOffer { SignUpOffer(services, isInvited: invitation != nil) }

    /// The secret of a browser that someone has signed in with before.
    var device: SecretToken? {
        Cookie.device.value(in: request, at: services.settings.cookieSite)
            .flatMap(SecretToken.init)
    }

    /// Links for signing in with each of the providers.
    func providerLinks(returnPath: String?) -> [NamedLink] {
        services.providers.map(\.configuration).map {
            NamedLink(
                name: Words(name: $0.name),
                href: ReturnPath.appending(returnPath, to: "/sign-in/with/\($0.key)"))
        }
    }

    /// Redirects a browser whose session has ended, and removes its session cookie.
    func signedOut(to path: String) -> Response {
        var response = Response.seeOther(path)
        response.headerFields.append(
            Cookie.session.removing(at: services.settings.cookieSite))
        // The next person at this browser must not continue this person's sign-up.
        for cookie in [Cookie.form, .newcomer] {
            response.headerFields.append(cookie.removing(at: services.settings.cookieSite))
        }
        return response
    }
}

extension SignUpOffer {
    /// - Parameter isInvited: Whether the visitor has opened an invitation.
    init(_ services: Services, isInvited: Bool = false) {
        let policy = services.accounts.policy
        self =
            switch policy.signUp {
            case _ where !policy.hasLocalAccounts && services.providers.isEmpty: .closed
            case .open: .open
            case .invite: isInvited ? .open : .byInvitation
            case .closed: .closed
            }
    }
}
