import Endpoints
import FaveGames
import HTTP
import Storage
import Views

// What pages show of hearts. For someone who isn't signed in, these are only numbers.
extension RequestContext {
    /// The hearts of the comments on a page.
    ///
    /// - Parameter returnPath: The page's path if it isn't the request's.
    func hearts(
        of inclusions: [Inclusion], returningTo returnPath: String? = nil
    ) async throws -> Hearts {
        guard let visitor else { return Hearts() }
        let commented = inclusions.filter { !$0.comment.isEmpty }.map(\.id)
        let given = try await services.store.heartedEntries(commented, by: visitor.user.id)
        return Hearts(
            givenBy: visitor.user.username, keys: formKeys(visitor, returnPath), given: given)
    }

    /// The hearts of the comments on a list.
    func hearts(on list: FaveList) async throws -> Hearts {
        async let numbers = services.store.heartCounts(ofListOf: list.owner.id)
        guard let visitor else { return Hearts(counts: try await numbers) }
        let given = try await services.store.heartedEntries(
            list.entries.map(\.id), by: visitor.user.id)
        return Hearts(
            counts: try await numbers, givenBy: visitor.user.username, keys: formKeys(visitor),
            given: given)
    }

    /// What the visitor sees on someone else's list; `nil` if it is their own, or no one is signed in.
    func view(of list: FaveList) async throws -> VisitorsView? {
        guard let visitor, visitor.user.id != list.owner.id else { return nil }
        async let own = visitorsList()
        let isFollowing =
            list.owner.isPublic
            ? try await services.store.isFollowing(list.owner.id, as: visitor.user.id) : nil
        let taste = try await own.flatMap { own in
            own.entries.isEmpty || list.entries.isEmpty
                ? nil : SharedTaste(own: own, theirs: list)
        }
        return VisitorsView(keys: formKeys(visitor), isFollowing: isFollowing, taste: taste)
    }

    /// For forms that return to this page.
    private func formKeys(_ visitor: Visitor, _ returnPath: String? = nil) -> FormKeys {
        FormKeys(
            token: visitor.token.formToken(),
            returnPath: returnPath ?? ReturnPath.of(request.target))
    }
}

extension [Inclusion] {
    /// Those that are not among others.
    func without(_ others: [Inclusion]) -> [Inclusion] {
        let ids = Set(others.map(\.id))
        return filter { !ids.contains($0.id) }
    }
}
