import Endpoints
import Foundation
import TestSupport
import Testing

@testable import Web

/// Checks that a response is a problem document, RFC 9457, and gives its detail.
@discardableResult
func expectProblem(
    _ response: RawResponse, _ status: Int, _ detail: String? = nil,
    at location: SourceLocation = #_sourceLocation
) throws -> [String: Any] {
    #expect(response.status == status, "\(response.text)", sourceLocation: location)
    #expect(response["content-type"] == "application/problem+json", sourceLocation: location)
    #expect(response["cache-control"] == "no-store", sourceLocation: location)
    let problem = try response.object
    #expect(problem["status"] as? Int == status, sourceLocation: location)
    let address = problem["type"] as? String ?? ""
    let name = String(address.split(separator: "/").last ?? "")
    let kind = try #require(ProblemKind.named(name), "\(address)", sourceLocation: location)
    // Servers of tests that stand elsewhere have addresses of their own.
    #expect(address.hasSuffix(".example/api/problems/\(name)"), sourceLocation: location)
    #expect(kind.status.code == status, "\(name)", sourceLocation: location)
    #expect(problem["title"] as? String == kind.title, sourceLocation: location)
    let id = response["x-request-id"] ?? ""
    #expect(problem["instance"] as? String == "urn:uuid:\(id)", sourceLocation: location)
    #expect(UUID(uuidString: id) != nil, "\(id)", sourceLocation: location)
    let text = problem["detail"] as? String ?? ""
    #expect(!text.isEmpty, sourceLocation: location)
    if let detail { #expect(text.contains(detail), "\(text)", sourceLocation: location) }
    return problem
}

/// The pointers of a problem's `errors`, each with its detail.
func memberErrors(_ problem: [String: Any]) -> [String] {
    (problem["errors"] as? [[String: String]] ?? []).map {
        "\($0["pointer"] ?? "") \($0["detail"] ?? "")"
    }
}

extension [String: Any] {
    func object(_ name: String) -> [String: Any] { self[name] as? [String: Any] ?? [:] }
    func objects(_ name: String) -> [[String: Any]] { self[name] as? [[String: Any]] ?? [] }
    func string(_ name: String) -> String? { self[name] as? String }
    func int(_ name: String) -> Int? { self[name] as? Int }
}
