import HTTPTypes
import Synchronization

/// The header fields of a request as they were received, and made into `HTTPFields` on first use:
/// an answer from memory needs a few of their values at most.
final class ReceivedFields: Sendable {
    private let lines: FieldLines
    private let fields = Mutex<HTTPFields?>(nil)

    init(_ lines: FieldLines) {
        self.lines = lines
    }

    /// All of them, in their order.
    var all: HTTPFields {
        fields.withLock { fields in
            if let fields { return fields }
            let made = lines.fields
            fields = made
            return made
        }
    }

    /// Whether there is a field of this name.
    func contains(_ name: HTTPField.Name) -> Bool { lines.position(of: name) != nil }

    /// The value of the field of this name, as `all[name]` has it.
    func value(of name: HTTPField.Name) -> String? {
        guard let position = lines.position(of: name) else { return nil }
        // Several of one name are one list (RFC 9110 §5.2), which the fields know how to write.
        let isOnly = lines.position(of: name, from: position + 1) == nil
        return (isOnly ? lines.text(at: position) : nil) ?? all[name]
    }
}

/// Field lines that were checked, one after another in one piece of memory.
struct FieldLines {
    private struct Line {
        let start: Int
        let nameCount: Int
        let valueCount: Int
    }

    private var bytes: [UInt8] = []
    private var lines: [Line] = []

    /// Makes room for lines of so many bytes together.
    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count)
        lines.reserveCapacity(16)
    }

    @inline(__always)
    mutating func append(_ line: FieldLine) {
        lines.append(
            Line(start: bytes.count, nameCount: line.name.count, valueCount: line.value.count))
        bytes.append(contentsOf: line.name)
        bytes.append(contentsOf: line.value)
    }

    /// Where the first line of this name, from `start` on, is.
    func position(of name: HTTPField.Name, from start: Int = 0) -> Int? {
        let count = name.canonicalName.utf8.count
        return bytes.withUnsafeBufferPointer { bytes in
            (start..<lines.count).first { index in
                let line = lines[index]
                return line.nameCount == count
                    && bytes.part(line.start, line.start + count).isName(name)
            }
        }
    }

    /// A line's value; `nil` if it isn't UTF-8.
    func text(at position: Int) -> String? {
        let line = lines[position]
        let start = line.start + line.nameCount
        return bytes.withUnsafeBufferPointer { $0.part(start, start + line.valueCount).text }
    }

    /// A value that isn't UTF-8 is kept as its bytes: `obs-text` has no known encoding
    /// (RFC 9110 §5.5).
    var fields: HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(lines.count)
        bytes.withUnsafeBufferPointer { bytes in
            for line in lines {
                let valueStart = line.start + line.nameCount
                let name = bytes.part(line.start, valueStart)
                let value = bytes.part(valueStart, valueStart + line.valueCount)
                // A token, as the line's reader has seen, is a name.
                guard
                    let name = KnownNames.name(name)
                        ?? HTTPField.Name(String(decoding: name, as: UTF8.self))
                else { continue }
                if let text = value.text {
                    fields.append(HTTPField(name: name, value: text))
                } else {
                    fields.append(HTTPField(name: name, value: value))
                }
            }
        }
        return fields
    }
}
