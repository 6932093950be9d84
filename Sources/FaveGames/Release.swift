/// The release that the programs belong to. CHANGELOG.md says what is new in it.
public enum Release {
    public static let version = "1.0.0"
}
