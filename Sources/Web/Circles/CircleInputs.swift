import Endpoints
import FaveGames
import Foundation
import Storage
import Views

extension Input where Value == UUID {
    static var circle: Self {
        .id("circle", "The circle's id.", example: Example.circle)
    }

    static var circleMember: Self {
        .id("member", "The membership's id.", example: Example.member)
    }
}

extension Input<Services, CircleView> {
    /// The circle of a page, as the visitor sees it. The API refers to circles by their ids. 404 if
    /// there is no such circle, or the visitor may not see it.
    static var visibleCircle: Self { circle { _ in true } }

    /// A circle of the visitor's own. 404 for everyone else.
    static var ownCircle: Self { circle { $0.role == .owner } }

    /// A public circle as everyone sees it, even if a member asks. 404 for others.
    static var publicCircle: Self { circle(seenBy: { _ in nil }) { _ in true } }

    private static func circle(
        seenBy viewer: @escaping @Sendable (RequestContext) -> UUID? = { $0.visitor?.user.id },
        _ isWanted: @escaping @Sendable (CircleView) -> Bool
    ) -> Self {
        let slug = Input<Services, CircleSlug>.path(
            "circle", "The end of the circle's address.", V1.circleSlug
        ) { CircleSlug($0) }
        return Self(slug.description) { context in
            let view = try await context.services.store.circle(
                slug: slug.read(context), seenBy: viewer(context))
            guard let view, isWanted(view) else { throw CircleError.notFound }
            return view
        }
    }
}

extension BodyMember where Value == CircleName {
    static var circleName: Self {
        .parsed(.circleName, .mustHave(1, to: CircleName.limit)) { CircleName($0) }
    }
}

extension BodyMember where Value == CircleDescription {
    static var circleDescription: Self {
        .parsed(.circleDescription, .mustHaveAtMost(CircleDescription.limit)) {
            CircleDescription($0)
        }
    }
}

extension BodyMember where Value == CircleVisibility {
    static var circleVisibility: Self {
        .choice
    }
}

extension Schema {
    static let circleName = text(1...CircleName.limit, example: "Tuesday Club")
    static let circleDescription = text(
        0...CircleDescription.limit, example: "We meet on Tuesdays.")
}
