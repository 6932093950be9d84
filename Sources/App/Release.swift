/// The release that the programs belong to. CHANGELOG.md says what is new in it.
enum Release {
    static let version = "1.0.0"
}
