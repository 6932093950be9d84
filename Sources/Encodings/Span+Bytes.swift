public import Glibc

/// Views of bytes (SE-0447): a view can't outlive its memory, and every index is checked.
extension Span<UInt8> {
    /// The part from `start` up to `end`.
    @_lifetime(copy self)
    @inlinable @inline(__always)
    public func part(_ start: Int, _ end: Int) -> Span<UInt8> { extracting(start..<end) }

    @_lifetime(copy self)
    @inlinable @inline(__always)
    public func part(from start: Int) -> Span<UInt8> { extracting(start..<count) }

    @inlinable @inline(__always)
    public var first: UInt8? { isEmpty ? nil : self[0] }

    @inlinable @inline(__always)
    public func contains(_ byte: UInt8) -> Bool {
        position(of: byte, from: 0, before: count) != nil
    }

    @inlinable @inline(__always)
    public func allSatisfy(_ isAccepted: (UInt8) -> Bool) -> Bool {
        var index = 0
        while index < count {
            guard isAccepted(self[index]) else { return false }
            index &+= 1
        }
        return true
    }

    /// Where `byte` first occurs at or after `start` and before `end`.
    @inlinable @inline(__always)
    public func position(of byte: UInt8, from start: Int, before end: Int) -> Int? {
        guard start < end else { return nil }
        return unsafe extracting(start..<end).withUnsafeBytes { bytes in
            // `bytes` isn't empty, so it has an address; `memchr` reads no more than it is told.
            guard let base = bytes.baseAddress,
                let found = unsafe memchr(base, Int32(byte), bytes.count)
            else { return nil }
            return unsafe start &+ (UnsafeRawPointer(found) - base)
        }
    }

    /// Eight bytes as a word, the first one lowest on the machines that we run on. All patterns are numbers,
    /// and the bounds are checked.
    @inlinable @inline(__always)
    public func word(at offset: Int) -> UInt64 {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    /// The number at `offset`, in network byte order. All patterns are numbers, and the bounds are
    /// checked.
    @inlinable @inline(__always)
    public func integer<Number: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Number.Type
    ) -> Number {
        Number(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }

    @inlinable @inline(__always)
    public func starts(with prefix: borrowing Span<UInt8>) -> Bool {
        prefix.count <= count && extracting(0..<prefix.count).isEqual(to: prefix)
    }

    @inlinable @inline(__always)
    public func starts(with literal: StaticString) -> Bool { starts(with: literal.span) }

    /// Whether the bytes are those of `other`, once some bits are set in each of them.
    @inlinable @inline(__always)
    public func isEqual(to other: borrowing Span<UInt8>, setting bits: UInt8 = 0) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index &+ 8 <= count {
            if word(at: index).setting(bits) != other.word(at: index) { return false }
            index &+= 8
        }
        while index < count {
            if self[index] | bits != other[index] { return false }
            index &+= 1
        }
        return true
    }

    /// The bytes as text; `nil` when they aren't UTF-8.
    @inlinable
    public var text: String? {
        guard let text = try? UTF8Span(validating: self) else { return nil }
        return String(copying: text)
    }

    /// The same, with what isn't UTF-8 replaced.
    @inlinable
    public var repairedText: String {
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension String {
    /// A text of ASCII characters, written in one piece.
    ///
    /// - Parameter capacity: The most bytes that are written.
    @inlinable
    public init(asciiCapacity capacity: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        self = unsafe String(unsafeUninitializedCapacity: capacity) { buffer in
            var text = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            write(&text)
            return unsafe text.finalize(for: buffer)
        }
    }
}

extension StaticString {
    /// Its bytes, which are part of the program and never change.
    @inlinable
    public var span: Span<UInt8> {
        @_lifetime(immortal) @inline(__always)
        get {
            let bytes = unsafe Span(_unsafeStart: utf8Start, count: utf8CodeUnitCount)
            return unsafe _overrideLifetime(bytes, borrowing: ())
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends bytes in one piece.
    @_lifetime(self: copy self)
    @inlinable @inline(__always)
    public mutating func append(copying bytes: borrowing Span<UInt8>) {
        precondition(bytes.count <= freeCapacity, "there is no room for these bytes")
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                _ = unsafe buffer.suffix(from: count).update(fromContentsOf: bytes)
            }
            count += bytes.count
        }
    }

    /// Appends a text that is known in advance.
    @_lifetime(self: copy self)
    @inlinable @inline(__always)
    public mutating func append(literal: StaticString) { append(copying: literal.span) }
}

extension [UInt8] {
    @inlinable @inline(__always)
    public mutating func append(copying bytes: borrowing Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    @inlinable
    public init(copying bytes: borrowing Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    @inlinable @inline(__always)
    public mutating func append(literal: StaticString) { append(copying: literal.span) }
}
