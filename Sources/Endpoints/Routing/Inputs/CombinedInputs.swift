import HTTPTypes

extension Input {
    /// Two inputs. The first takes precedence: if a request contains it, the second is not read, so it
    /// can't be invalid.
    package static func first<First: Sendable, Other: Sendable>(
        _ preferred: Input<Services, First?>, else other: Input<Services, Other>
    ) -> Self where Value == Alternative<First, Other> {
        Self(InputDescription([preferred.description, other.description])) { context in
            if let value = try await preferred.read(context) { return .preferred(value) }
            return .other(try await other.read(context))
        }
    }

    /// An input whose body has a secret that identifies the user, such as a refresh token.
    package static func credential(_ wrapped: Self) -> Self {
        var description = wrapped.description
        description.hasCredential = true
        return Self(description, admit: wrapped.admit, read: wrapped.read)
    }

    /// Several inputs that are read together.
    package static func group<each Part: Sendable>(
        _ part: repeat Input<Services, each Part>
    ) -> Self where Value == (repeat each Part) {
        var descriptions: [InputDescription] = []
        for part in repeat each part { descriptions.append(part.description) }
        return Self(InputDescription(descriptions)) { context in
            (repeat try await (each part).read(context))
        }
    }

    /// An input of a form. If it is invalid, the handler receives the problem and can show the form
    /// again.
    ///
    /// - Returns: An input that is read as its value, or as the client error that prevented that.
    package static func correctable<Wrapped: Sendable>(
        _ wrapped: Input<Services, Wrapped>
    ) -> Self where Value == Result<Wrapped, Problem> {
        Self(wrapped.description) { context in
            do {
                return .success(try await wrapped.read(context))
            } catch let problem as Problem where problem.status.kind == .clientError {
                return .failure(problem)
            }
        }
    }
}

/// The value of one of two inputs.
package enum Alternative<First: Sendable, Other: Sendable>: Sendable {
    case preferred(First)
    case other(Other)
}
