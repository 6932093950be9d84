import ApicalypseParser
import JSON

/// Finds the results of queries in the catalogue.
enum Questions {
    /// What an endpoint knows: its rows, its fields, and what its fields hold.
    private struct Table {
        let rows: [Row]
        let plain: Set<String>
        let nested: [String: Set<String>]
    }

    private static let platformFields: Set<String> = [
        "id", "slug", "name", "abbreviation", "generation",
    ]

    private static let tables = [
        "games": Table(
            rows: Catalogue.games,
            plain: [
                "id", "name", "slug", "first_release_date", "game_type", "version_parent",
                "total_rating_count", "themes",
            ],
            nested: [
                "platforms": platformFields, "cover": ["id", "image_id"],
                "screenshots": ["id", "image_id"], "alternative_names": ["id", "name"],
                "game_localizations": ["id", "name", "region.identifier"],
                "age_ratings": ["id", "rating_category.rating"],
            ]),
        "platforms": Table(
            rows: Catalogue.platforms, plain: platformFields,
            nested: ["platform_family": ["id", "name"]]),
    ]

    /// - Returns: `nil` if there is no such endpoint.
    static func results(_ endpoint: String, _ body: String) throws(QueryError) -> JSONValue? {
        guard endpoint == "multiquery" else {
            guard let table = tables[endpoint] else { return nil }
            return .array(try rows(table, try ApicalypseParser.parse(body)))
        }
        let queries = try ApicalypseParser.parseMultiquery(body)
        var results: [JSONValue] = []
        for query in queries.prefix(ApicalypseParser.maximumQueries) {
            guard let table = tables[query.endpoint] else { throw QueryError("Syntax Error") }
            let result = JSONValue.array(try rows(table, query.query))
            results.append(.object(["name": .string(query.name), "result": result]))
        }
        guard queries.count <= ApicalypseParser.maximumQueries else { throw .tooManyQueries }
        return .array(results)
    }

    private static func rows(_ table: Table, _ query: Query) throws(QueryError) -> [JSONValue] {
        for field in query.fields { try check(field, table) }
        var rows = table.rows
        if let condition = query.condition {
            try check(condition, table)
            rows = rows.filter { holds(condition, $0) }
        }
        if let search = query.search {
            let words = Words.of(search)
            rows = rows.filter { names(of: $0).contains { matches(words, Words.of($0)) } }
            rows.sort { relevance($0, words) > relevance($1, words) }
        }
        if let sort = query.sort {
            try check(sort.field, table)
            // Whoever lacks the field comes last in either direction.
            rows.sort { a, b in
                guard let a = number(a[sort.field]) else { return false }
                guard let b = number(b[sort.field]) else { return true }
                return sort.isDescending ? a > b : a < b
            }
        }
        return rows.dropFirst(query.offset).prefix(query.limit).map { project($0, query.fields) }
    }

    // MARK: Fields

    private static func check(_ field: String, _ table: Table) throws(QueryError) {
        let parts = field.split(separator: ".", maxSplits: 1).map(String.init)
        if field == "*" || parts.count == 1 && table.plain.contains(field) { return }
        guard let inner = table.nested[parts[0]] else { throw .invalidField(field) }
        guard parts.count == 1 || parts[1] == "*" || inner.contains(parts[1]) else {
            throw .invalidField(parts[1])
        }
    }

    private static func check(
        _ condition: Query.Condition, _ table: Table
    ) throws(QueryError) {
        switch condition {
        case .all(let parts), .any(let parts): for part in parts { try check(part, table) }
        case .comparison(let field, _, _): try check(field, table)
        }
    }

    /// A row as it is asked for: always with its id; what hangs on it by its id, unless fields of
    /// that are asked for, too.
    private static func project(_ row: Row, _ fields: [String]) -> JSONValue {
        var result: Row = ["id": row["id"] ?? .null]
        for field in fields.flatMap({ $0 == "*" ? Array(row.keys) : [$0] }) {
            let parts = field.split(separator: ".", maxSplits: 1).map(String.init)
            guard let value = row[parts[0]] else { continue }
            if parts.count == 1 {
                if result[field] == nil { result[field] = ids(value) }
            } else {
                result[parts[0]] = expand(value, parts[1], into: result[parts[0]])
            }
        }
        return .object(result)
    }

    private static func ids(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members): members["id"] ?? .null
        case .array(let elements): .array(elements.map(ids))
        default: value
        }
    }

    private static func expand(
        _ value: JSONValue, _ field: String, into old: JSONValue?
    ) -> JSONValue {
        switch value {
        case .array(let elements):
            var olds: [JSONValue?] = elements.map { _ in nil }
            if case .array(let some)? = old { olds = some }
            return .array(zip(elements, olds).map { expand($0, field, into: $1) })
        case .object(let members):
            guard field != "*" else { return value }
            var result: Row = ["id": members["id"] ?? .null]
            if case .object(let some)? = old { result = some }
            let parts = field.split(separator: ".", maxSplits: 1).map(String.init)
            result[parts[0]] =
                parts.count == 1
                ? members[field] : members[parts[0]].map { expand($0, parts[1], into: nil) }
            return .object(result)
        default: return value
        }
    }

    // MARK: Conditions

    private static func holds(_ condition: Query.Condition, _ row: Row) -> Bool {
        switch condition {
        case .all(let parts): return parts.allSatisfy { holds($0, row) }
        case .any(let parts): return parts.contains { holds($0, row) }
        case .comparison(let field, let comparison, let value):
            let candidates = values(field, row)
            switch comparison {
            case .notEqual: return !candidates.contains { isEqual($0, value, exactly: true) }
            case .notLike: return !candidates.contains { isEqual($0, value, exactly: false) }
            case .equal: return candidates.contains { isEqual($0, value, exactly: true) }
            case .like: return candidates.contains { isEqual($0, value, exactly: false) }
            case .less: return candidates.contains { isOrdered($0, value, by: <) }
            case .lessOrEqual: return candidates.contains { isOrdered($0, value, by: <=) }
            case .greater: return candidates.contains { isOrdered($0, value, by: >) }
            case .greaterOrEqual: return candidates.contains { isOrdered($0, value, by: >=) }
            }
        }
    }

    /// What a field holds: several values for a list, `null` for nothing.
    private static func values(_ field: String, _ row: Row) -> [JSONValue] {
        let parts = field.split(separator: ".", maxSplits: 1).map(String.init)
        let value = row[parts[0]] ?? .null
        let elements: [JSONValue] = if case .array(let list) = value { list } else { [value] }
        guard parts.count == 2 else { return elements.map(ids) }
        return elements.map { element in
            if case .object(let members) = element { members[parts[1]] ?? .null } else { .null }
        }
    }

    private static func isEqual(
        _ candidate: JSONValue, _ value: Query.Value, exactly: Bool
    ) -> Bool {
        switch (candidate, value) {
        case (.null, .null): return true
        case (.bool(let a), .bool(let b)): return a == b
        case (.int(let a), .number(let b)): return a == b
        case (.int(let a), .list(let list)): return list.contains(a)
        case (.string(var text), .text(var pattern, let anyStart, let anyEnd)):
            if !exactly {
                text = text.lowercased()
                pattern = pattern.lowercased()
            }
            return switch (anyStart, anyEnd) {
            case (false, false): text == pattern
            case (false, true): text.hasPrefix(pattern)
            case (true, false): text.hasSuffix(pattern)
            case (true, true): pattern.isEmpty || text.contains(pattern)
            }
        default: return false
        }
    }

    private static func isOrdered(
        _ candidate: JSONValue, _ value: Query.Value, by order: (Int, Int) -> Bool
    ) -> Bool {
        if case .int(let a) = candidate, case .number(let b) = value { order(a, b) } else { false }
    }

    private static func number(_ value: JSONValue?) -> Int? {
        if case .int(let number)? = value { number } else { nil }
    }

    // MARK: Searching

    private static func names(of row: Row) -> [String] {
        (values("name", row) + values("alternative_names.name", row)).compactMap { value in
            if case .string(let text) = value { text } else { nil }
        }
    }

    /// Whole words only, each of them.
    private static func matches(_ words: [String], _ name: [String]) -> Bool {
        !words.isEmpty && words.allSatisfy(name.contains)
    }

    /// How much of a name the words are, in per mille.
    private static func relevance(_ row: Row, _ words: [String]) -> Int {
        names(of: row).map(Words.of).filter { matches(words, $0) }
            .map { words.count * 1000 / $0.count }.max() ?? 0
    }
}

extension QueryError {
    static let tooManyQueries = QueryError("Too Many Concurrent queries")

    static func invalidField(_ name: String) -> QueryError {
        QueryError("Invalid Field", cause: "Invalid field name: '\(name)'")
    }
}
