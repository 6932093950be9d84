import Encodings
package import HTTP
import HTTPTypes
import Languages

extension Input where Value == ChangeConditions {
    /// The conditions of a change: If-Match and If-None-Match, RFC 9110 section 13.1.
    package static var ifMatch: Self { ifMatch(replacing: nil) }

    /// As `ifMatch`, for a request that replaces something as a whole: it must say which version it
    /// knows, or gets a 428.
    ///
    /// - Parameter path: The address of what is replaced.
    package static func ifMatch(requiredFor path: String) -> Self { ifMatch(replacing: path) }

    private static func ifMatch(replacing replaced: String?) -> Self {
        let text =
            replaced == nil
            ? "The tag that the change applies to, or `*`. 412 if the tag has changed."
            : "The tag of the version to replace, or `*` for any."
        let description = InputDescription(
            parameters: [
                .init(
                    name: "If-Match", place: .header, description: text,
                    schema: .text(example: "*"), isRequired: replaced != nil)
            ],
            problems: [.preconditionFailed] + (replaced == nil ? [] : [.preconditionRequired]))
        return Self(description) { context in
            if let replaced, context.request.headerFields[.ifMatch] == nil {
                throw Problem(
                    .preconditionRequired,
                    .english(
                        "Say which version to replace: If-Match with the ETag of \(replaced), "
                            + "or \"If-Match: *\" for any."))
            }
            return ChangeConditions(request: context.request)
        }
    }
}

/// The conditions of a change, which are checked in its transaction.
package struct ChangeConditions: Sendable {
    fileprivate let request: Request

    /// - Parameter current: What a read would return now. It isn't made if any state will do: `If-Match: *`.
    /// - Throws: 412 if the conditions are not met, 400 if they can't be read.
    package func check(_ current: @autoclosure () throws -> Response) throws {
        guard request.contains(.ifMatch) || request.contains(.ifNoneMatch) else { return }
        let conditions = Preconditions(method: request.method, headerFields: request.headerFields)
        let tag = conditions.needsRepresentation ? try current().tag : nil
        guard try conditions.evaluate(entityTag: tag) == .proceed else {
            throw Problem(
                .preconditionFailed,
                .english("It has changed since it was read. Read it again, and repeat the change."))
        }
    }
}
