import Endpoints
import Foundation
import JSON

/// The body of a webhook's request: what happened, for programs, and a sentence about it for chats.
///
/// Standard Webhooks recommends the members, except that it calls the event's name `type`. Mattermost
/// reads a member of that name as the type of a post, and refuses any that it doesn't know.
struct WebhookMessage<Content: Sendable>: Sendable {
    let happenedAt: Date
    let content: Content
    /// What a chat shows.
    let sentence: String

    /// - Parameter sentence: An example.
    static func representation(
        of event: String, _ name: String, _ description: String, sentence: String,
        _ content: [ObjectRepresentation<Content>.Member]
    ) -> ObjectRepresentation<WebhookMessage> {
        ObjectRepresentation(
            name, description,
            [
                .init("event", .constant(event), "What happened.") { _ in event },
                .init("timestamp", .date, "When it happened.") { $0.happenedAt },
                .init("data", ObjectRepresentation<Content>(nil, nil, content), "The details.") {
                    $0.content
                },
                .init(
                    "text", .text(example: sentence),
                    "The same in a sentence, for Slack, Mattermost and Rocket.Chat."
                ) { $0.sentence },
                .init("content", .text(example: sentence), "The same, for Discord.") {
                    $0.sentence
                },
                .init(
                    "allowed_mentions", NoMentions(), "For Discord, which then notifies nobody."
                ) { _ in () },
            ])
    }
}

private struct NoMentions: Representation {
    let schema = Schema(
        "NoMentions",
        [
            "type": "object", "description": "Names in the text notify no one.",
            "properties": [
                "parse": [
                    "type": "array", "items": ["type": "string"], "maxItems": 0,
                    "description": "Always empty.",
                ]
            ],
            "required": ["parse"],
        ], example: ["parse": []])

    func write(_ value: Void, to json: inout JSONWriter, for site: SiteAddresses) {
        json.object { json in
            json.name("parse")
            json.array { _ in }
        }
    }
}

/// Words of people, made fit for a sentence that chats show.
enum ChatText {
    /// The most characters of a name.
    private static let limit = 100

    /// Without what Slack, Mattermost, Rocket.Chat and Discord take for a mention or a link with a text
    /// of its own, and shortened: someone could otherwise notify everyone in a channel with their name.
    static func plain(_ words: String) -> String {
        let short = words.count > limit ? String(words.prefix(limit - 1)) + "…" : words
        // Slack's <!channel> and <https://…|text>.
        let marked = short.replacing("<", with: "‹").replacing(">", with: "›")
        // A space without width ends a mention, a link or an address before its name.
        return marked.replacing("@", with: "@\u{200B}").replacing("](", with: "]\u{200B}(")
            .replacing("://", with: ":\u{200B}//")
    }

    /// "Portal", "Portal and Celeste", "Portal, Celeste and Tetris".
    static func list(_ words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return "\(words.dropLast().joined(separator: ", ")) and \(last)"
    }
}
