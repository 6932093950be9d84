public import Encodings
public import Foundation

/// A type that a column in binary format can be read as.
public protocol PostgresDecodable {
    /// The type's value for NULL, if any.
    static var null: Self? { get }

    /// - Returns: `nil` if this type can't be read from a column of that type, or from that number
    ///   of bytes.
    init?(postgres bytes: Span<UInt8>, type: PostgresType)
}

extension PostgresDecodable {
    @inlinable
    public static var null: Self? { nil }
}

/// A PostgreSQL type, by its object identifier. The constants are the built-in types that the
/// program reads, from PostgreSQL's `pg_type.dat`; their identifiers never change.
public struct PostgresType: Hashable, Sendable {
    public let oid: UInt32

    @inlinable
    init(_ oid: UInt32) { self.oid = oid }

    @inlinable static var bool: PostgresType { PostgresType(16) }
    @inlinable static var int8: PostgresType { PostgresType(20) }
    @inlinable static var int2: PostgresType { PostgresType(21) }
    @inlinable static var int4: PostgresType { PostgresType(23) }
    @inlinable public static var text: PostgresType { PostgresType(25) }
    @inlinable static var float4: PostgresType { PostgresType(700) }
    @inlinable static var float8: PostgresType { PostgresType(701) }
    @inlinable static var int4Array: PostgresType { PostgresType(1007) }
    @inlinable static var textArray: PostgresType { PostgresType(1009) }
    @inlinable static var int8Array: PostgresType { PostgresType(1016) }
    @inlinable static var varchar: PostgresType { PostgresType(1043) }
    @inlinable static var bytea: PostgresType { PostgresType(17) }
    @inlinable static var timestamptz: PostgresType { PostgresType(1184) }
    @inlinable static var uuid: PostgresType { PostgresType(2950) }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    @inlinable
    public static var null: Self? { .some(nil) }

    @inlinable
    public init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        guard let value = Wrapped(postgres: bytes, type: type) else { return nil }
        self = value
    }
}

extension Bool: PostgresDecodable {
    @inlinable
    public init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        guard type == .bool, bytes.count == 1 else { return nil }
        self = bytes[0] != 0
    }
}

extension Int: PostgresDecodable {
    @inlinable
    public init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        switch (type, bytes.count) {
        case (.int4, 4): self = Int(bytes.integer(at: 0, as: Int32.self))
        case (.int8, 8): self = Int(bytes.integer(at: 0, as: Int64.self))
        case (.int2, 2): self = Int(bytes.integer(at: 0, as: Int16.self))
        default: return nil
        }
    }
}

extension Double: PostgresDecodable {
    @inlinable
    public init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        switch (type, bytes.count) {
        case (.float8, 8):
            self.init(bitPattern: bytes.integer(at: 0, as: UInt64.self))
        case (.float4, 4):
            self.init(Float(bitPattern: bytes.integer(at: 0, as: UInt32.self)))
        default: return nil
        }
    }
}

extension String: PostgresDecodable {
    @inlinable
    public init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        guard type == .text || type == .varchar else { return nil }
        self = bytes.repairedText
    }
}

/// The bytes of a `bytea`. A plain array would mean a PostgreSQL array.
public struct PostgresBytes: PostgresDecodable, Hashable, Sendable {
    public let bytes: [UInt8]

    public init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        guard type == .bytea else { return nil }
        self.bytes = Array(copying: bytes)
    }
}

extension UUID: PostgresDecodable {
    @inlinable
    public init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        guard type == .uuid, bytes.count == 16 else { return nil }
        // All patterns are identifiers.
        self.init(uuid: unsafe bytes.bytes.unsafeLoadUnaligned(as: uuid_t.self))
    }
}

extension Date: PostgresDecodable {
    /// `timestamptz` counts microseconds from 2000-01-01 00:00 UTC.
    @inlinable
    public init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        guard type == .timestamptz, bytes.count == 8 else { return nil }
        let microseconds = bytes.integer(at: 0, as: Int64.self)
        self.init(timeIntervalSince1970: 946_684_800 + Double(microseconds) / 1_000_000)
    }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
    /// Reads arrays of one dimension only. The format is that of `array_recv`: the number of
    /// dimensions, a flag for NULLs, the element type, the length and the lower bound of the
    /// dimension, and then the elements, each preceded by its length (-1 for NULL).
    @inlinable
    public init?(postgres bytes: Span<UInt8>, type: PostgresType) {
        guard let dimensions = bytes.int32(at: 0), let elementType = bytes.int32(at: 8) else {
            return nil
        }
        self = []
        guard dimensions > 0 else { return }
        guard dimensions == 1, let length = bytes.int32(at: 12) else { return nil }
        reserveCapacity(length)
        var offset = 20
        for _ in 0..<length {
            guard let size = bytes.int32(at: offset), offset + 4 + Swift.max(size, 0) <= bytes.count
            else { return nil }
            offset += 4
            if size < 0 {
                guard let null = Element.null else { return nil }
                append(null)
                continue
            }
            let part = bytes.part(offset, offset + size)
            guard let element = Element(postgres: part, type: PostgresType(UInt32(elementType)))
            else { return nil }
            append(element)
            offset += size
        }
    }
}

extension Span<UInt8> {
    /// The number at `offset`; `nil` if there are too few bytes.
    @inlinable
    func int32(at offset: Int) -> Int? {
        guard offset + 4 <= count else { return nil }
        return Int(integer(at: offset, as: Int32.self))
    }
}
