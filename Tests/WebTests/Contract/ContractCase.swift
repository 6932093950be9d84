import Foundation
import Testing

struct ContractRequest: Sendable {
    let target: String
    var token: String?
    var fields: [(String, String)] = []
    var body: String?
    var type = "application/json"

    init(
        _ target: String, token: String? = nil, json: String? = nil,
        fields: [(String, String)] = []
    ) {
        self.target = target
        self.token = token
        self.fields = fields
        body = json
    }
}

/// An operation of the API, with a request and the status of its response.
struct ContractCase: Sendable, CustomTestStringConvertible {
    /// The `operationId`.
    let id: String
    let status: Int
    /// What tells it from others of the operation.
    let note: String
    /// Whether the server is the other one.
    let isElsewhere: Bool
    /// Prepares what the request needs.
    let request: @Sendable (ContractSite) async throws -> ContractRequest

    var testDescription: String { [id, note].filter { !$0.isEmpty }.joined(separator: " ") }

    init(
        _ id: String, _ note: String = "", status: Int = 200, isElsewhere: Bool = false,
        _ request: @escaping @Sendable (ContractSite) async throws -> ContractRequest
    ) {
        self.id = id
        self.status = status
        self.note = note
        self.isElsewhere = isElsewhere
        self.request = request
    }

    /// A request of nobody in particular.
    init(
        _ id: String, _ note: String = "", status: Int = 200, at target: String,
        json: String? = nil, fields: [(String, String)] = []
    ) {
        self.init(id, note, status: status) { _ in
            ContractRequest(target, json: json, fields: fields)
        }
    }

    /// A request of rob's, which changes nothing.
    static func robs(
        _ id: String, _ note: String = "", status: Int = 200, at target: String,
        json: String? = nil, fields: [(String, String)] = []
    ) -> ContractCase {
        ContractCase(id, note, status: status) {
            ContractRequest(target, token: $0.rob.token, json: json, fields: fields)
        }
    }
}
