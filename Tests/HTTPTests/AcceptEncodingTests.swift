import Testing

@testable import HTTP

@Suite("An Accept-Encoding field")
struct AcceptEncodingTests {
    @Test(
        "asks for gzip",
        arguments: [
            "gzip", "GZIP", "x-gzip", "*", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8",
            "gzip;q=0.001", "gzip ; q=0.5", " , gzip ,", "identity;q=0.5, gzip;q=0.5",
            "identity;q=0, *;q=0.1", "deflate, *", "br,gzip",
        ])
    func gzip(value: String) {
        #expect(AcceptEncoding(value).prefersGzip)
    }

    @Test(
        "does not ask for gzip",
        arguments: [
            nil, "", "identity", "br", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip;q=0, *",
            "identity, gzip;q=0.5", "identity;q=0.6, *;q=0.5", "gzipped", "not-gzip",
            // Malformed, as a whole.
            "gzip;q=2", "gzip;q=x", "gzip;q=", "gzip;level=1", "gzip br", "gzip;q=0.5;q=0.5",
            "gzip, ;", "\"gzip\"",
        ] as [String?])
    func plain(value: String?) {
        #expect(!AcceptEncoding(value).prefersGzip)
    }
}
