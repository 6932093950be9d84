package import HTTP
import HTTPTypes

// The steps of a request on its way through its route:
//
//     described for the API        form of a page              any other address
//     (GET, POST …)                (POST)                      (GET of a page, file …)
//         │                            │                           │
//         │ if it has a key:           │ admit, from our origin    │
//         │   admit                    │ read the form             │
//         │   carry out once           │ check its token ───┐      │
//         │                            │                    │      │
//         └────────────────┬───────────┴────────────────────┼──────┘
//                          ▼                                │
//                       handle: query, coding, inputs, ─────┤ refused
//                          │    handler, response           ▼
//                          │                        show: the route of the form's page handles a GET,
//                          ▼                        with the form as its query and what is wrong
//                       response
//
// Only what is wrong with a form is shown on its page; a refusal by `admit`, and a body that is no form, are
// thrown. For a request with a large body, `admit` also comes first, before that is read.
extension Route {
    /// The steps before `handle`.
    enum Approach: Sendable {
        case direct
        /// If the route takes a key, clients may send a request again with the same key.
        case described(takesKey: Bool)
        /// A page is only changed by its own forms, whatever the handler reads.
        case form(hasFiles: Bool)

        init(
            _ method: HTTPRequest.Method, _ purpose: RoutePurpose, _ inputs: [InputDescription]
        ) {
            if let operation = purpose.operation {
                self = .described(takesKey: method == .post && !operation.isRead)
            } else if purpose.kind == .page, method == .post {
                self = .form(hasFiles: inputs.contains { $0.body?.type == .formData })
            } else {
                self = .direct
            }
        }

        var takesKey: Bool {
            if case .described(takesKey: true) = self { true } else { false }
        }
    }

    package func respond(_ context: RequestContext<Services>) async throws -> Response {
        switch approach {
        case .direct: try await handle(context)
        case .described(let takesKey):
            if let key = try IdempotencyKey(of: context.request) {
                try await carryOut(context, once: key, takesKey: takesKey)
            } else {
                try await handle(context)
            }
        case .form(let hasFiles):
            try await submit(context, hasFiles: hasFiles)
        }
    }

    /// Checks a request by its head.
    package func admit(_ context: RequestContext<Services>) async throws {
        try await admitInputs(context)
        if case .form = approach { try context.checkOrigin() }
    }

    private func carryOut(
        _ context: RequestContext<Services>, once key: IdempotencyKey, takesKey: Bool
    ) async throws -> Response {
        guard takesKey else {
            throw Problem.invalidParameter(
                "Idempotency-Key",
                "This request takes no \"Idempotency-Key\": it can be sent again as it is.")
        }
        // A client that may not send the request doesn't get its recorded response either.
        try await admit(context)
        return try await Services.carryOut(context, once: key, signIn: signIn) {
            try await handle($0)
        }
    }

    private func submit(
        _ context: RequestContext<Services>, hasFiles: Bool
    ) async throws -> Response {
        try await admit(context)
        return try await context.submit(on: page, hasFiles: hasFiles) { try await handle($0) }
    }

    private func handle(_ context: RequestContext<Services>) async throws -> Response {
        if kind == .api { try context.checkQuery(queryNames) }
        if hasBody { try context.checkContentCoding() }
        do {
            return caching.applied(to: try await makeResponse(context))
        } catch {
            context.services.note(error, of: context)
            throw error
        }
    }
}
