import Encodings
import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Languages
import ShareCard
import Storage

/// The covers that the site serves itself, if the operator wants that. Only covers of games that the site
/// shows are fetched.
enum Covers {
    static let routes = [
        Route(
            .get, "/covers/{size}/{cover}", .file, takes: .coverSize, .coverImage,
            returns: .response, caching: .immutable, costs: .cached,
            handler: show)
    ]

    @Sendable private static func show(
        _ context: RequestContext, size: CoverImage.Size, imageID: String
    ) async throws -> Response {
        guard let covers = context.services.covers,
            try await context.services.store.isCover(imageID),
            let cover = await covers.cover(CoverStore.Name(imageID, size))
        else { throw Problem.notFound(.english("There is no such cover.")) }
        let response = Response(
            headerFields: [.contentType: MediaType.jpeg.description], body: cover)
        return try response.conditional(for: context.request, gzip: context.services.gzip)
    }
}

extension Input<Services, CoverImage.Size> {
    fileprivate static var coverSize: Self {
        .path("size", "", .text(example: "cover_big")) { CoverImage.Size(rawValue: $0) }
    }
}

extension Input<Services, String> {
    /// The id of an image, from the name of its file.
    fileprivate static var coverImage: Self {
        .path("cover", "", .text(example: "co1x7d.jpg")) { file in
            guard file.hasSuffix(".jpg") else { return nil }
            let id = String(file.dropLast(4))
            return id.consists(
                of: { $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "_") },
                bytes: 1...64) ? id : nil
        }
    }
}
