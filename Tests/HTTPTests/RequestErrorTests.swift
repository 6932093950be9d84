import Testing

@testable import HTTP

@Suite("A request error")
struct RequestErrorTests {
    @Test("has a client's or server's status and a sentence", arguments: RequestError.Code.allCases)
    func responses(code: RequestError.Code) {
        let error = RequestError(code)
        #expect([400, 413, 414, 417, 431, 501, 505].contains(error.status.code))
        #expect(error.description.hasSuffix("."))
        #expect(error.description.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }
}
