/// The release that the programs belong to. CHANGELOG.md says what is new in it.
public enum Release {
    /// The name of the program, and of a site whose operator has given it no other.
    public static let program = "Fave Games"
    public static let version = "1.0.0"
}
