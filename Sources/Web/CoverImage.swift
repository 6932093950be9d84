/// The addresses of a cover on IGDB's image host, in the sizes that pages and API use.
struct CoverImage {
    /// 180×256, twice what it is shown at.
    let small: String
    /// 264×374.
    let large: String
    let large2x: String

    init(_ imageID: String) {
        let base = "https://images.igdb.com/igdb/image/upload/t_"
        small = "\(base)cover_small_2x/\(imageID).jpg"
        large = "\(base)cover_big/\(imageID).jpg"
        large2x = "\(base)cover_big_2x/\(imageID).jpg"
    }
}
