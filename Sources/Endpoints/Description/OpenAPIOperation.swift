import HTTP
import HTTPTypes
package import JSON

/// One operation of the OpenAPI document: what its route declares, and what follows from that.
package struct OpenAPIOperation<Services: Application> {
    private let route: Route<Services>
    private let operation: APIOperation
    /// All kinds of problems, in order.
    private let kinds: [ProblemKind]

    /// Stops the program if the route is not described.
    package init(_ route: Route<Services>, _ kinds: [ProblemKind]) {
        guard let operation = route.operation else {
            preconditionFailure("\(route.pattern) is not described")
        }
        self.route = route
        self.operation = operation
        self.kinds = kinds
    }

    package func value(_ components: inout OpenAPIComponents) -> JSONValue {
        var members: [String: JSONValue] = [
            "operationId": .string(operation.id),
            "tags": [.string(operation.tag.name)],
            "summary": .string(operation.summary),
            "responses": .object(responses(&components)),
        ]
        let description = [operation.description, priceList].compactMap { $0 }
        if !description.isEmpty {
            members["description"] = .string(description.joined(separator: "\n\n"))
        }
        let parameters = parameters.map { components.parameter($0) }
        if !parameters.isEmpty { members["parameters"] = .array(parameters) }
        members["security"] =
            switch route.signIn {
            case .notNeeded: nil
            case .optional: .array([[:], ["bearer": []]] + personalTokens)
            case .required: .array([["bearer": []]] + personalTokens)
            }
        if let body = route.inputs.lazy.compactMap(\.body).first {
            components.add(body.schema)
            members["requestBody"] = requestBody(body)
        }
        return .object(members)
    }

    /// What a request costs, if that isn't always one unit.
    private var priceList: String? {
        let surcharges = route.surcharges
        guard isCounted, route.cost != .plain || !surcharges.isEmpty else { return nil }
        let more = Dictionary(grouping: surcharges, by: \.surcharge)
            .sorted { $0.key.tenths > $1.key.tenths }
            .map { cost, parameters in
                let names = parameters.map { "“\($0.name)”" }.joined(separator: ", ")
                return "; \(cost) more \(parameters.count == 1 ? "with" : "for each of") \(names)"
            }
        return "Costs \(route.cost)\(more.joined())."
    }

    /// The personal tokens that may call the route. OpenAPI 3.1 lets a requirement name the scopes of
    /// any kind of token.
    private var personalTokens: [JSONValue] {
        guard case .scope(let scope)? = route.access else { return [] }
        return [["personalToken": [.string(scope)]]]
    }

    private var parameters: [InputDescription.Parameter] {
        route.inputs.flatMap(\.parameters) + (hasTag ? [ifNoneMatch] : [])
    }

    private var ifNoneMatch: InputDescription.Parameter {
        InputDescription.Parameter(
            name: "If-None-Match", place: .header,
            description:
                "The tags of the client's versions, or `*`. 304 if one of them is current.",
            schema: .text(example: "\"73411dde3f6809197d14ab5f30778bac\""))
    }

    private func requestBody(_ body: InputDescription.Body) -> JSONValue {
        var members: [String: JSONValue] = [
            "required": .bool(body.isRequired),
            "content": [
                body.type.description: [
                    "schema": body.schema.reference, "example": body.schema.example,
                ]
            ],
        ]
        members["description"] = body.description.map { .string($0) }
        return .object(members)
    }

    // MARK: Responses

    private func responses(_ components: inout OpenAPIComponents) -> [String: JSONValue] {
        var responses: [String: JSONValue] = [:]
        for description in route.responses {
            responses["\(description.status.code)"] = response(description, &components)
        }
        if hasTag {
            responses["304"] = [
                "description": "The client's version is current.",
                "headers": components.headers(
                    fields(ofResponseWith: [.eTag] + commonFields) + lastModified),
            ]
        }
        for (status, kinds) in Dictionary(grouping: problems, by: \.status.code) {
            responses["\(status)"] = components.problems(kinds, of: route.kind)
        }
        return responses
    }

    private func response(
        _ description: ResponseDescription, _ components: inout OpenAPIComponents
    ) -> JSONValue {
        var contents: [String: JSONValue] = [:]
        for content in description.contents {
            components.add(content.schema)
            contents[content.type] = [
                "schema": content.schema.reference, "example": content.schema.example,
            ]
        }
        var fields = description.fields
        if description.status.kind == .successful {
            fields += route.inputs.flatMap(\.responseFields)
            if hasTag { fields.append(.eTag) }
        }
        if !contents.isEmpty || description.status.kind == .redirection {
            fields += commonFields
        } else {
            fields += varies
        }
        var members: [String: JSONValue] = [
            "description": .string(description.text),
            "headers": components.headers(self.fields(ofResponseWith: fields)),
        ]
        if !contents.isEmpty { members["content"] = .object(contents) }
        return .object(members)
    }

    /// Whether the route is a GET whose response has an entity tag, so that requests can have
    /// conditions.
    private var hasTag: Bool {
        route.method == .get && route.caching != .never
            && route.responses.contains { response in
                response.status == .ok && response.contents.contains { $0.type != "text/plain" }
            }
    }

    private var varies: [HTTPField.Name] { route.kind == .file ? [] : [.vary] }

    private var commonFields: [HTTPField.Name] {
        let cache = route.isCacheable ? [HTTPField.Name.cacheStatus, .age] : []
        return [.cacheControl] + varies + cache
    }

    private var lastModified: [HTTPField.Name] {
        route.responses.flatMap(\.fields).filter { [.lastModified, .xRobotsTag].contains($0) }
    }

    /// Whether the response says how much of the client's limit is left.
    private var isCounted: Bool { route.kind.isAPI && route.cost != .nothing }

    private func fields(ofResponseWith fields: [HTTPField.Name]) -> [HTTPField.Name] {
        fields + (isCounted ? [.rateLimit, .rateLimitPolicy] : []) + [.xRequestID]
    }

    // MARK: Problems

    /// Each kind once, in the order of the application.
    private var problems: [ProblemKind] {
        var found: Set<ProblemKind> = [
            .badRequest, .addressTooLong, .headerTooLarge, .methodNotAllowed,
        ]
        found.formUnion(route.problems)
        found.formUnion(route.inputs.flatMap(\.problems))
        if [.api, .document].contains(route.kind) { found.insert(.invalidParameter) }
        // A token that is sent must be valid, even if none is needed.
        if route.kind == .api, route.method.isRead { found.insert(.invalidToken) }
        if route.kind.isForOtherOrigins, !route.isForEveryOrigin {
            found.insert(.originNotAllowed)
        }
        if hasTag { found.insert(.preconditionFailed) }
        if route.kind != .file {
            found.formUnion([.internalServerError, .unavailable, .maintenance])
        }
        if route.cost != .nothing { found.insert(.tooManyRequests) }
        return kinds.filter(found.contains)
    }
}
