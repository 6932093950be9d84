/// The addresses of a cover on IGDB's image host, in the sizes that pages and API use.
struct CoverImage {
    /// 180×256, twice what it is shown at.
    let small: String
    /// 264×374.
    let large: String
    let large2x: String

    init(_ imageID: String) {
        small = Self.address(of: imageID, size: "cover_small_2x")
        large = Self.address(of: imageID, size: "cover_big")
        large2x = Self.address(of: imageID, size: "cover_big_2x")
    }

    /// The address of any image there.
    static func address(of imageID: String, size: String) -> String {
        "https://images.igdb.com/igdb/image/upload/t_\(size)/\(imageID).jpg"
    }
}
