import HTTPTypes
import Testing
@testable import HTTP

@Suite("The value of a field")
struct HTTPFieldsTests {
    @Test(
        "is the same as the subscript's, of no field, of one and of several",
        arguments: [HTTPField.Name.accept, .cookie, .setCookie, .vary])
    func value(name: HTTPField.Name) {
        var fields: HTTPFields = [.server: "another"]
        #expect(fields.value(of: name) == nil)
        fields.append(HTTPField(name: name, value: "a"))
        #expect(fields.value(of: name) == "a")
        #expect(fields.value(of: name) == fields[name])
        fields.append(HTTPField(name: name, value: "b"))
        #expect(fields.value(of: name) == fields[name])
    }
}
