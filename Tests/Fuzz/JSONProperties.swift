import Foundation
import JSON

/// What the JSON parser takes is JSON to Foundation too, is not taken without its last byte, and
/// comes back as it was when it is written.
enum JSONProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        let bytes = Array(input)
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes)
        } catch {
            require((0...bytes.count).contains(error.offset), "an error at byte \(error.offset)")
            return
        }
        let written = value.indented()
        require((try? JSONParser.parse(Array(written.utf8))) == value, "written as \(written)")
        checkStrings(of: value)
        require(
            (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed))
                != nil,
            "Foundation does not take it")
        switch value {
        case .object, .array, .string:
            let end = bytes.lastIndex { ![0x20, 0x0A, 0x0D, 0x09].contains($0) } ?? 0
            require((try? JSONParser.parse(Array(bytes[..<end]))) == nil, "taken without its end")
        case .null, .bool, .int, .double: break
        }
    }

    /// What the API writes is read as it was.
    private static func checkStrings(of value: JSONValue) {
        var strings: [String] = []
        collect(value, into: &strings)
        var writer = JSONWriter()
        writer.array(strings) { $0.string($1) }
        let read = try? JSONParser.parse(writer.bytes)
        let again = read?.elements.compactMap(\.text) ?? []
        require(
            again.map { Array($0.utf8) } == strings.map { Array($0.utf8) },
            "\(strings) is written as \(String(decoding: writer.bytes, as: UTF8.self))")
    }

    private static func collect(_ value: JSONValue, into strings: inout [String]) {
        switch value {
        case .string(let text): strings.append(text)
        case .array(let elements): for element in elements { collect(element, into: &strings) }
        case .object(let members):
            for (name, member) in members {
                strings.append(name)
                collect(member, into: &strings)
            }
        case .null, .bool, .int, .double: break
        }
    }
}
