import Actions
import Crypto
import Endpoints
import FaveGames
import HTTP
import Identity
import Storage
import Views

// A list that someone begins before signing up. It is stored under a secret of the browser's, so that
// nothing is lost on the way, whether they sign up or in, with a password or with a provider.
extension RequestContext {
    /// - Throws: 413 or 422 if the draft is too large, 429 if the client has sent too many.
    func storeGuestDraft(_ draft: EditorDraft) async throws {
        guard let key = guestDraftKey else { return }
        guard draft.remaining.count <= FaveList.limit else {
            throw Problem(.unprocessableContent, ListError.tooManyEntries.words)
        }
        let form = draft.form
        guard form.utf8.count <= Store.draftLimit else {
            throw Problem(
                .contentTooLarge, .reasonsTooLong)
        }
        if let network = client.network {
            try GuestDrafts.limiter.charge(
                .init(client: .address(network), budget: .writes), .plain)
        }
        try await guestDrafts.keep(form, under: key)
    }

    /// The list that this browser's visitor began before signing in, if there is one.
    func guestDraft() async throws -> EditorDraft? {
        guard let key = guestDraftKey, let form = try await services.store.draft(tokenHash: key)
        else { return nil }
        return try EditorDraft(FormItems(parsing: form))
    }

    /// Saves that list for someone who has just signed in, if their own list is empty.
    ///
    /// - Returns: Whether it is saved. If not, the editor shows it, with what is wrong.
    func saveGuestDraft(for user: User) async throws -> Bool {
        guard let draft = try await guestDraft(),
            let list = try await services.store.list(userID: user.id), list.entries.isEmpty
        else { return false }
        do {
            let wanted = try draft.entries()
            _ = try await lists.change(list) { list in
                guard list.entries.isEmpty else { throw ListError.changedMeanwhile }
                return try ListDraft(wanted, replacing: list)
            }
        } catch let error
            where error is InvalidDraft || error is RefusedText || error is ListError
            || error is AccountGone
        {
            return false
        }
        try await deleteGuestDraft()
        return true
    }

    /// Deletes that list, once it is saved.
    func deleteGuestDraft() async throws {
        guard let key = guestDraftKey else { return }
        try await guestDrafts.delete(under: key)
    }

    /// The digest of a secret that only this browser has.
    private var guestDraftKey: [UInt8]? {
        Cookie.form.value(in: request, at: services.settings.cookieSite)
            .flatMap(SecretToken.init)
            .map { Array(SHA256.hash(data: Array($0.derive("guest draft").utf8))) }
    }
}

private enum GuestDrafts {
    /// Nobody is known yet who begins a list, so these are limited even where the API is not.
    static let limiter: RateLimiter = {
        var limits = RateLimits()
        limits.writes = 20
        return RateLimiter(limits)
    }()
}
