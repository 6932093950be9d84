import Encodings
import HTTPTypes
import Synchronization

/// The header fields of a request as they were received. They are turned into `HTTPFields` on first
/// use, because a response from memory needs at most a few of their values.
final class ReceivedFields: Sendable {
    private let lines: FieldLines
    private let fields = Mutex<HTTPFields?>(nil)

    init(_ lines: FieldLines) {
        self.lines = lines
    }

    /// All fields, in the order received.
    var all: HTTPFields {
        fields.withLock { fields in
            if let fields { return fields }
            let made = lines.fields
            fields = made
            return made
        }
    }

    /// Whether there is a field with this name.
    func contains(_ name: HTTPField.Name) -> Bool { lines.position(of: name) != nil }

    /// The value of the field with this name, the same as `all[name]`.
    func value(of name: HTTPField.Name) -> String? {
        guard let position = lines.position(of: name) else { return nil }
        // Several fields with one name form a list (RFC 9110 §5.2), which `HTTPFields` knows how to
        // join.
        let isOnly = lines.position(of: name, from: position + 1) == nil
        return (isOnly ? lines.text(at: position) : nil) ?? all[name]
    }

    /// Whether `value(of: name)` is this text.
    func hasValue(_ text: String?, of name: HTTPField.Name) -> Bool {
        guard let position = lines.position(of: name) else { return text == nil }
        guard let text, lines.position(of: name, from: position + 1) == nil else {
            return text == all[name]
        }
        return lines.isText(text, at: position)
    }
}

/// Field lines that have been checked, stored one after another in one piece of memory.
struct FieldLines {
    private struct Line {
        let start: Int
        let nameCount: Int
        let valueStart: Int
        let valueEnd: Int
    }

    private var bytes: [UInt8] = []
    private var lines: [Line] = []

    /// Reserves memory for lines of this many bytes in total.
    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count)
        lines.reserveCapacity(16)
    }

    @inline(__always)
    mutating func append(_ line: FieldLine) {
        let whole = line.whole
        lines.append(
            Line(
                start: bytes.count, nameCount: line.name.count,
                valueStart: bytes.count &+ whole.count &- line.value.count,
                valueEnd: bytes.count &+ whole.count))
        bytes.append(copying: whole)
    }

    /// The position of the first line with this name, at or after `start`.
    func position(of name: HTTPField.Name, from start: Int = 0) -> Int? {
        let count = name.canonicalName.utf8.count
        let bytes = bytes.span
        for index in start..<lines.count where lines[index].nameCount == count {
            let start = lines[index].start
            if bytes.part(start, start + count).isName(name) { return index }
        }
        return nil
    }

    /// A line's value; `nil` if it isn't UTF-8.
    func text(at position: Int) -> String? {
        let line = lines[position]
        return bytes.span.part(line.valueStart, line.valueEnd).text
    }

    /// Whether a line's value is this text.
    func isText(_ text: String, at position: Int) -> Bool {
        let line = lines[position]
        return bytes.span.part(line.valueStart, line.valueEnd).isEqual(to: text.utf8Span.span)
    }

    /// The lines as `HTTPFields`. A value that isn't UTF-8 stays as its bytes, because `obs-text`
    /// has no known encoding (RFC 9110 §5.5).
    var fields: HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(lines.count)
        let bytes = bytes.span
        for line in lines {
            let name = bytes.part(line.start, line.start + line.nameCount)
            let value = bytes.part(line.valueStart, line.valueEnd)
            // `FieldLine` has checked that the name is a token, and every token is a valid name.
            guard let name = KnownNames.name(name) ?? HTTPField.Name(name.repairedText)
            else { continue }
            if let text = value.text {
                fields.append(HTTPField(name: name, value: text))
            } else {
                fields.append(HTTPField(name: name, value: Array(copying: value)))
            }
        }
        return fields
    }
}
