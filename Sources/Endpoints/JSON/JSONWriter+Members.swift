import Foundation
import HTTP
import JSON

extension JSONWriter {
    package mutating func member(_ name: StaticString, _ value: Date?) {
        self.name(name)
        if let value { string(value.rfc3339) } else { null() }
    }

    package mutating func member(_ name: StaticString, _ value: UUID) {
        member(name, value.uuidString.lowercased())
    }
}
