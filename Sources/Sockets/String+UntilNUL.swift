extension String {
    /// The text before the first NUL. Whether `CChar` is signed depends on the architecture.
    init(untilNUL characters: [CChar]) {
        let bytes = characters.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
