import Encodings
import Tracing

/// A span's place among all traces, as `traceparent` states it: W3C Trace Context, section 3.2.
public struct TraceContext: Hashable, Sendable {
    public let traceID: TraceID
    public let spanID: UInt64
    /// Whether the trace is recorded.
    public let isSampled: Bool

    public init(traceID: TraceID, spanID: UInt64, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// Reads a header field. A later version may have more at its end.
    ///
    /// - Returns: `nil` if it is malformed; the request then begins a new trace.
    public init?(traceparent: String) {
        let text = Array(traceparent.utf8)
        guard text.count >= 55, text[2] == Self.hyphen, text[35] == Self.hyphen,
            text[52] == Self.hyphen, let version = Self.number(text[0..<2]), version != 0xFF,
            text.count == 55 || (version > 0 && text[55] == Self.hyphen),
            let high = Self.number(text[3..<19]), let low = Self.number(text[19..<35]),
            let span = Self.number(text[36..<52]), let flags = Self.number(text[53..<55]),
            high != 0 || low != 0, span != 0
        else { return nil }
        self.init(
            traceID: TraceID(high: high, low: low), spanID: span, isSampled: flags & 1 == 1)
    }

    public var traceparent: String {
        "00-\(traceID)-\(Self.hexadecimal(spanID))-\(isSampled ? "01" : "00")"
    }

    private static let hyphen = UInt8(ascii: "-")

    /// Only lower-case digits are allowed.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// The id that the spans of a trace share. 16 bytes, never all zero.
public struct TraceID: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    static func random() -> TraceID {
        TraceID(high: .random(in: 1...UInt64.max), low: .random(in: 0...UInt64.max))
    }

    /// 32 hexadecimal digits.
    public var description: String {
        TraceContext.hexadecimal(high) + TraceContext.hexadecimal(low)
    }
}

extension InstrumentationContext {
    private enum Key: InstrumentationContextKey {
        typealias Value = TraceContext
        static var nameOverride: String? { "trace" }
    }

    /// The current span.
    public var trace: TraceContext? {
        get { self[Key.self] }
        set { self[Key.self] = newValue }
    }
}
