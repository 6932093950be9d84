import FaveGames
import HTTPClient
import ShareCard

extension CoverStore {
    /// Covers from an image host.
    ///
    /// - Parameter folder: The address of the host's folder.
    static func fetching(from folder: String, client: HTTPClient) -> CoverStore {
        CoverStore { imageID in
            let request = ClientRequest(
                .get, CoverImage.forCards(imageID, in: folder), timeout: .seconds(3),
                maximumResponseBytes: 512 << 10)
            guard let response = try? await client.send(request), response.status == .ok,
                response.headerFields[.contentType]?.hasPrefix("image/jpeg") == true
            else { return nil }
            return response.body
        }
    }
}
