/// A cover of IGDB's, in the sizes that pages and the API use.
public struct CoverImage: Hashable, Sendable {
    /// The sizes, as IGDB names them.
    public enum Size: String, CaseIterable, Sendable {
        /// 180×256, twice the size on the page.
        case small = "cover_small_2x"
        /// 264×374.
        case large = "cover_big"
        /// 528×748, which is also large enough for cards.
        case large2x = "cover_big_2x"
    }

    /// Where browsers get covers from.
    public enum Source: Hashable, Sendable {
        /// IGDB's image host.
        case igdb
        /// The site itself, at this public address.
        case site(String)
    }

    /// Where the pages and responses that the current task makes have covers from. It is the same for all
    /// requests of a server. So what shows a cover, at whatever depth of a page, needs no setting.
    @TaskLocal public static var source = Source.igdb

    private let id: String

    /// - Parameter imageID: The last part of the image's address on IGDB's image host, without the file
    ///   extension.
    public init(_ imageID: String) {
        id = imageID
    }

    // MARK: Addresses for pages

    public var small: String { address(.small) }
    public var large: String { address(.large) }
    public var large2x: String { address(.large2x) }

    private func address(_ size: Size) -> String {
        switch Self.source {
        case .igdb: Self.address(of: id, size: size.rawValue)
        case .site: Self.path(of: id, size)
        }
    }

    // MARK: Addresses elsewhere

    /// The large cover's address with its host, for programs and other sites.
    public var absolute: String {
        switch Self.source {
        case .igdb: Self.address(of: id, size: Size.large.rawValue)
        case .site(let publicURL): publicURL + Self.path(of: id, .large)
        }
    }

    /// The path of a cover that the site itself serves.
    private static func path(of imageID: String, _ size: Size) -> String {
        "/covers/\(size.rawValue)/\(imageID).jpg"
    }

    /// The folder of all images on IGDB's image host.
    public static let folder = "https://images.igdb.com/igdb/image/upload"

    /// The address of any image on IGDB's image host.
    ///
    /// - Parameter folder: Where images are: IGDB's folder, or another one like it.
    public static func address(
        of imageID: String, size: String, in folder: String = folder
    ) -> String {
        "\(folder)/t_\(size)/\(imageID).jpg"
    }
}
