import CSV

/// Whatever is read from a file is within bounds, and is the same once it is written and read again.
enum CSVProperties {
    private static let limits = CSVReader.Limits(records: 20, columns: 6, field: 200, record: 600)

    static func check(_ input: UnsafeRawBufferPointer) {
        guard let records = read(Array(input)) else { return }
        var writer = CSVWriter()
        // A first line of ours, since that decides on the separator.
        writer.record(Array(repeating: "h", count: 6))
        for record in records { writer.record(record) }
        guard let again = read(writer.bytes, CSVReader.Limits()) else { fatalError("not readable") }
        // A record with nothing in it is an empty line.
        let expected = records.filter { $0 != [""] }
        let found = again.dropFirst().map { $0.map { CSVWriter.restored($0) } }
        require(
            found.elementsEqual(expected) { a, b in
                a.elementsEqual(b) { $0.utf8.elementsEqual($1.utf8) }
            }, "\(found) instead of \(expected)")
        for field in again.joined() {
            require(!"=+-@\t\r".utf8.contains(field.utf8.first ?? 0), "a formula: \(field)")
        }
    }

    private static func read(
        _ bytes: [UInt8], _ limits: CSVReader.Limits = limits
    ) -> [[String]]? {
        guard var reader = try? CSVReader(bytes, limits: limits) else { return nil }
        var records = [reader.header]
        do throws(CSVError) {
            while let record = try reader.next() { records.append(record.fields) }
        } catch {
            require(error.line > 0, "an error without a place")
            return nil
        }
        for record in records {
            require(record.count <= limits.columns, "too many columns")
            require(record.allSatisfy { $0.utf8.count <= limits.field }, "a field is too long")
        }
        require(records.count <= limits.records + 1, "too many records")
        return records
    }
}
