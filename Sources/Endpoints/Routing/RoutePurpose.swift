/// What a route is for.
package struct RoutePurpose: Sendable {
    package let kind: AddressKind
    package let operation: APIOperation?

    private init(_ kind: AddressKind, _ operation: APIOperation? = nil) {
        self.kind = kind
        self.operation = operation
    }

    package static let page = RoutePurpose(.page)
    package static let embed = RoutePurpose(.embed)
    /// A document that the API's description leaves out.
    package static let document = RoutePurpose(.document)
    package static let file = RoutePurpose(.file)
    /// A part of an API that the API's description leaves out.
    package static let plainAPI = RoutePurpose(.plainAPI)

    /// - Parameters:
    ///   - id: The operation's permanent name, which generated clients use.
    ///   - summary: A few words that begin with a verb.
    ///   - isRead: Whether it changes nothing even though its method is POST.
    package static func api(
        _ id: String, _ tag: APIOperation.Tag, _ summary: String, _ description: String? = nil,
        isRead: Bool = false
    ) -> RoutePurpose {
        .described(.api, id, tag, summary, description, isRead: isRead)
    }

    /// A route of any kind that the API's description has. As `api`.
    package static func described(
        _ kind: AddressKind, _ id: String, _ tag: APIOperation.Tag, _ summary: String,
        _ description: String?, isRead: Bool = false
    ) -> RoutePurpose {
        RoutePurpose(
            kind,
            APIOperation(
                id: id, tag: tag, summary: summary, description: description, isRead: isRead))
    }
}

/// The API's description of a route as a whole.
package struct APIOperation: Sendable {
    package let id: String
    package let tag: Tag
    package let summary: String
    package let description: String?
    /// Whether it changes nothing, whatever its method.
    package let isRead: Bool

    /// What an operation is about.
    package struct Tag: Hashable, Sendable {
        package let name: String
        package let description: String

        package init(_ name: String, _ description: String) {
            self.name = name
            self.description = description
        }
    }
}
