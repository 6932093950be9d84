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
        /// The site itself.
        case site

        /// The beginning of the addresses of covers.
        ///
        /// - Parameter publicURL: The site's public address, for programs and other sites. Its own pages
        ///   leave it out.
        public func folder(below publicURL: String = "") -> String {
            switch self {
            case .igdb: CoverImage.sizes
            case .site: publicURL + "/covers/"
            }
        }
    }

    private let id: String
    private let folder: String

    /// The cover of a game from one of the folders of a `Source`; `nil` if none is known.
    public init?(_ game: Game, in folder: String) {
        guard let imageID = game.coverImageID else { return nil }
        id = imageID
        self.folder = folder
    }

    public var small: String { address(.small) }
    public var large: String { address(.large) }
    public var large2x: String { address(.large2x) }

    private func address(_ size: Size) -> String { "\(folder)\(size.rawValue)/\(id).jpg" }

    // MARK: IGDB's image host

    public static let host = "https://images.igdb.com"

    /// The folder of all images on IGDB's image host.
    public static let folder = host + "/igdb/image/upload"

    /// The beginning of the addresses of images in that folder.
    private static let sizes = folder + "/t_"

    /// The address of any image on IGDB's image host.
    ///
    /// - Parameters:
    ///   - imageID: The last part of the image's address, without the file extension.
    ///   - folder: Where images are: IGDB's folder, or another one like it.
    public static func address(
        of imageID: String, size: String, in folder: String = folder
    ) -> String {
        "\(folder)/t_\(size)/\(imageID).jpg"
    }
}
