/// The addresses of a cover on IGDB's image host, in the sizes that pages and the API use.
public struct CoverImage: Sendable {
    private let id: String

    public init(_ imageID: String) {
        id = imageID
    }

    /// 180×256, twice the size on the page.
    public var small: String { Self.address(of: id, size: "cover_small_2x") }
    /// 264×374.
    public var large: String { Self.address(of: id, size: "cover_big") }
    public var large2x: String { Self.address(of: id, size: "cover_big_2x") }

    /// The folder of all images on IGDB's image host.
    public static let folder = "https://images.igdb.com/igdb/image/upload"

    /// The address of a cover that is large enough for cards.
    ///
    /// - Parameter folder: Where images are: IGDB's folder, or another one like it.
    public static func forCards(_ imageID: String, in folder: String) -> String {
        "\(folder)/t_cover_big_2x/\(imageID).jpg"
    }

    /// The address of any image on IGDB's image host.
    public static func address(of imageID: String, size: String) -> String {
        "\(folder)/t_\(size)/\(imageID).jpg"
    }
}
