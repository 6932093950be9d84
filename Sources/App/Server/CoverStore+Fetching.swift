import FaveGames
import HTTPClient
import HTTPTypes
import ShareCard

extension CoverStore {
    /// Covers from an image host.
    ///
    /// - Parameter hostFolder: The address of the host's folder.
    static func fetching(
        from hostFolder: String, client: HTTPClient, storedIn folder: CoverFolder? = nil
    ) -> CoverStore {
        CoverStore(folder: folder) { name in
            let request = ClientRequest(
                .get,
                CoverImage.address(of: name.imageID, size: name.size.rawValue, in: hostFolder),
                timeout: .seconds(3), maximumResponseBytes: 512 << 10)
            guard let response = try? await client.send(request) else { return .failed }
            switch response.status.code {
            case 200: break
            case 404, 410: return .absent
            default: return .failed
            }
            guard response.headerFields[.contentType]?.hasPrefix("image/jpeg") == true else {
                return .failed
            }
            return .cover(response.body)
        }
    }
}
