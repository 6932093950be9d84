import Actions
import Endpoints
import FaveGames
import Foundation
import HTTPTypes
import Outbox
import Storage
import Views

/// The webhooks of circles.
enum CircleWebhookAPI {
    private static let pattern = "/api/v1/circles/{circle}/webhook"

    static let routes = [
        Route(
            .get, pattern,
            .api(
                "getCircleWebhook", .circles, "Get a circle's webhook",
                "For the circle's owner. The address and the secret aren't shown again."),
            takes: .user(.account), .circle,
            returns: .json(V1.circleWebhook, "The webhook, and how its last delivery went.")
        ) { context, user, id in try await context.webhook(of: id, user) },

        Route(
            .put, pattern,
            .api(
                "setCircleWebhook", .circles, "Have a circle's changes sent to an address",
                """
                For the circle's owner. Replaces an earlier webhook, with everything that is still to \
                be sent to it. The response shows the new secret once. The document's “webhooks” \
                describe the messages, which follow Standard Webhooks 1.0.0 and can be shown by chats \
                as they are. The webhook ends when the circle changes hands.
                """),
            takes: .user(.account), .circle, .json(NewWebhook.self),
            returns: .json(V1.newCircleWebhook, "The webhook with its secret."),
            fails: [.unprocessableContent, .tooManyAttempts], handler: set),

        Route(
            .delete, pattern,
            .api(
                "removeCircleWebhook", .circles, "End a circle's webhook",
                "For the circle's owner. Succeeds without one, too."),
            takes: .user(.account), .circle, returns: .noContent
        ) { context, user, id in try await context.circles.removeWebhook(of: id, by: user) },

        Route(
            .post, "\(pattern)/test",
            .api(
                "testCircleWebhook", .circles, "Send a test to a circle's webhook",
                "For the circle's owner. It is sent in the background, within seconds. 409 if too many "
                    + "messages are waiting to be sent already."),
            takes: .user(.account), .circle, returns: .noContent,
            fails: [.tooManyAttempts, .conflict]
        ) { context, user, id in try await context.circles.testWebhook(of: id, by: user) },
    ]

    @Sendable private static func set(
        _ context: RequestContext, user: User, id: UUID, new: NewWebhook
    ) async throws -> V1.NewCircleWebhook {
        let secret = try await context.circles.setWebhook(of: id, to: new.address, by: user)
        return V1.NewCircleWebhook(
            webhook: try await context.webhook(of: id, user), secret: secret.text)
    }

    struct NewWebhook: RequestBody {
        let address: WebhookAddress

        init?(from reader: inout JSONObjectReader) {
            let address = reader.required(
                "address", .webhookAddress,
                "An address of https that everyone on the internet can reach.")
            guard let address else { return nil }
            self.address = address
        }
    }
}

extension Schema {
    static let webhookAddress = text(
        1...WebhookAddress.limit, example: "https://hooks.example/couch-club")
}

extension BodyMember where Value == WebhookAddress {
    fileprivate static var webhookAddress: Self {
        .parsed(.webhookAddress, .mustBeAddress(like: "https://hooks.example/couch-club")) {
            WebhookAddress($0)
        }
    }
}

extension RequestContext {
    /// - Throws: 404 if there is none, and for anyone but the circle's owner.
    fileprivate func webhook(of circle: UUID, _ user: User) async throws -> CircleWebhook {
        guard let webhook = try await services.store.webhook(ofCircle: circle, by: user.id) else {
            throw CircleError.noWebhook
        }
        return webhook
    }
}

extension CircleWebhook {
    /// The name of the host that it is sent to. The rest of the address may be a secret.
    var host: String { WebhookAddress(address)?.host ?? "" }
}

extension V1 {
    static let circleWebhook = ObjectRepresentation<CircleWebhook>(
        "CircleWebhook", "Where a circle's changes are sent.",
        [
            .init(
                "host", .text(example: "hooks.example"),
                "The host of its address. The rest of the address may be a secret."
            ) { $0.host },
            .init("createdAt", .date, "When it was made.") { $0.createdAt },
            .init(
                "deliveredAt", .nullable(.date),
                "When something was last delivered; null if nothing was."
            ) { $0.deliveredAt },
            .init(
                "failedAt", .nullable(.date),
                "When the last attempt failed; null unless it did."
            ) { $0.failure?.at },
            .init(
                "failure", .nullable(.text(example: "The server did not respond in time.")),
                "Why it failed; null unless it did."
            ) { $0.failure?.reason },
            .init(
                "hasEnded", .boolean(example: false),
                "Whether the receiver has responded that it is gone (410). Then nothing is sent."
            ) { $0.hasEnded },
            .init(
                "dropped", .integer(0..., example: 0),
                "How many messages were dropped, because too many were waiting or because they could "
                    + "not be delivered."
            ) { $0.dropped?.count ?? 0 },
            .init(
                "droppedAt", .nullable(.date), "When the last one was dropped; null if none was."
            ) { $0.dropped?.at },
        ])

    struct NewCircleWebhook: Sendable {
        let webhook: CircleWebhook
        let secret: String
    }

    static let newCircleWebhook = ObjectRepresentation<NewCircleWebhook>(
        "CreatedCircleWebhook",
        "Where a circle's changes are sent, with the key of the signatures.",
        extending: circleWebhook, { $0.webhook },
        [
            .init(
                "secret",
                .text(
                    pattern: "^whsec_[A-Za-z0-9+/]{43}=$",
                    example: "whsec_6A2erJy9yZhKgYIejGNBnm73CBGJ8MJvp6TBRyNfTmk="),
                "The secret, as Standard Webhooks writes it. It isn't shown again."
            ) { $0.secret }
        ])
}
