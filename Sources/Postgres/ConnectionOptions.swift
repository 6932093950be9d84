import CLibPQ

/// libpq's list of a connection's options, `PQconninfoOption`, which is freed once: when its owner ends.
///
/// Safe: the list ends with an option without a keyword, and its texts are copied.
@safe struct ConnectionOptions: ~Copyable {
    private let first: UnsafeMutablePointer<PQconninfoOption>

    /// - Returns: `nil` if libpq can't read the connection string.
    init?(parsing connectionString: String) {
        unsafe self.init(PQconninfoParse(connectionString, nil))
    }

    /// Takes over a list.
    init?(_ first: UnsafeMutablePointer<PQconninfoOption>?) {
        guard let first = unsafe first else { return nil }
        unsafe self.first = first
    }

    deinit { unsafe PQconninfoFree(first) }

    /// The options that have a value, and their values.
    func values(
        where isWanted: (_ keyword: String, _ value: String, _ compiledIn: String?) -> Bool = {
            _, _, _ in true
        }
    ) -> [String: String] {
        var values: [String: String] = [:]
        var option = unsafe first
        while let name = unsafe option.pointee.keyword {
            let keyword = unsafe String(cString: name)
            if let value = unsafe option.pointee.val.map({ unsafe String(cString: $0) }),
                isWanted(
                    keyword, value,
                    unsafe option.pointee.compiled.map { unsafe String(cString: $0) })
            {
                values[keyword] = value
            }
            unsafe option += 1
        }
        return values
    }
}
