public import Encodings
public import Foundation
import HTTP
public import JSON

/// How values of a type are written in JSON, and how the API's description describes them. Both are
/// declared together, so that neither can change without the other.
public protocol Representation<Value>: Sendable {
    associatedtype Value
    var schema: Schema { get }
    func write(_ value: Value, to json: inout JSONWriter, for site: SiteAddresses)
}

public struct IntegerRepresentation: Representation {
    public let schema: Schema

    @inlinable public func write(_ value: Int, to json: inout JSONWriter, for site: SiteAddresses) {
        json.int(value)
    }
}

public struct BooleanRepresentation: Representation {
    public let schema: Schema

    @inlinable public func write(_ value: Bool, to json: inout JSONWriter, for site: SiteAddresses)
    {
        json.bool(value)
    }
}

public struct TextRepresentation: Representation {
    public let schema: Schema

    package init(schema: Schema) { self.schema = schema }

    @inlinable public func write(
        _ value: String, to json: inout JSONWriter, for site: SiteAddresses
    ) {
        json.string(value)
    }
}

/// The raw value of one of an enumeration's cases. There may be more in later versions.
public struct EnumerationRepresentation<Value>: Representation
where Value: RawRepresentable<String> & CaseIterable & Sendable {
    public let schema: Schema

    package init(_ description: String? = nil) {
        var schema = Schema.knownValues(Value.allCases.map(\.rawValue))
        if let description { schema.keywords["description"] = .string(description) }
        self.schema = schema
    }

    @inlinable public func write(_ value: Value, to json: inout JSONWriter, for site: SiteAddresses)
    {
        json.string(value.rawValue)
    }
}

public struct DateRepresentation: Representation {
    public let schema = Schema(
        ["type": "string", "format": "date-time"], example: "2026-11-21T10:55:31Z",
        note: "RFC 3339, in UTC, to the second.")

    public func write(_ value: Date, to json: inout JSONWriter, for site: SiteAddresses) {
        json.string(value.rfc3339)
    }
}

public struct UUIDRepresentation: Representation {
    public let schema: Schema

    @inlinable public func write(_ value: UUID, to json: inout JSONWriter, for site: SiteAddresses)
    {
        json.string(value.text)
    }
}

/// A value that may be `null`.
public struct NullableRepresentation<Base: Representation>: Representation {
    public let base: Base
    public let schema: Schema

    package init(_ base: Base) {
        self.base = base
        schema = base.schema.nullable
    }

    @inlinable public func write(
        _ value: Base.Value?, to json: inout JSONWriter, for site: SiteAddresses
    ) {
        if let value { base.write(value, to: &json, for: site) } else { json.null() }
    }
}

public struct ArrayRepresentation<Element: Representation>: Representation {
    public let element: Element
    public let schema: Schema

    /// - Parameters:
    ///   - description: The description of an element.
    ///   - limit: The largest number of elements.
    package init(of element: Element, _ description: String? = nil, atMost limit: Int? = nil) {
        self.element = element
        schema = .array(of: element.schema, description, atMost: limit)
    }

    @inlinable public func write(
        _ value: [Element.Value], to json: inout JSONWriter, for site: SiteAddresses
    ) {
        json.array(value) { element.write($1, to: &$0, for: site) }
    }
}

// MARK: - Shorthands for declaring members

extension Representation where Self == IntegerRepresentation {
    package static func integer(_ range: ClosedRange<Int>, example: Int) -> Self {
        Self(schema: .integer(range, example: example))
    }

    package static func integer(_ range: PartialRangeFrom<Int>, example: Int) -> Self {
        Self(schema: .integer(range, example: example))
    }

    package static func integer(_ schema: Schema) -> Self { Self(schema: schema) }
}

extension Representation where Self == BooleanRepresentation {
    package static func boolean(example: Bool) -> Self { Self(schema: .boolean(example: example)) }
}

extension Representation where Self == TextRepresentation {
    package static func text(
        _ length: ClosedRange<Int>? = nil, pattern: String? = nil, example: String
    ) -> Self {
        Self(schema: .text(length, pattern: pattern, example: example))
    }

    package static func text(_ length: PartialRangeFrom<Int>, example: String) -> Self {
        Self(schema: .text(length, example: example))
    }

    package static func text(format: String, example: String) -> Self {
        Self(schema: .text(format: format, example: example))
    }

    /// A text that is always the same.
    package static func constant(_ text: String) -> Self { Self(schema: .constant(text)) }

    package static func text(_ schema: Schema) -> Self { Self(schema: schema) }
}

extension Representation where Self == DateRepresentation {
    package static var date: Self { Self() }
}

extension Representation where Self == UUIDRepresentation {
    package static func uuid(example: String) -> Self {
        Self(schema: .text(format: "uuid", example: example))
    }
}

extension Representation {
    package static func nullable<Base>(_ base: Base) -> Self
    where Self == NullableRepresentation<Base> {
        Self(base)
    }

    package static func array<Element>(
        of element: Element, _ description: String? = nil, atMost limit: Int? = nil
    ) -> Self where Self == ArrayRepresentation<Element> {
        Self(of: element, description, atMost: limit)
    }
}
