import Foundation
import TestSupport
import Testing

@Suite("The icons", .blocking)
struct IconTests {
    private let world: World

    init() async throws { world = try await World.shared }

    /// Width and height as a PNG's first chunk says.
    private func size(_ png: [UInt8]) throws -> [Int] {
        try #require(png.count > 24 && png.prefix(8) == [137, 80, 78, 71, 13, 10, 26, 10])
        func number(_ start: Int) -> Int {
            png[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        return [number(16), number(20)]
    }

    @Test("are where browsers look without being told")
    func favicon() throws {
        let response = try world.get("/favicon.ico")
        #expect(response.status == 200)
        #expect(response["content-type"] == "image/vnd.microsoft.icon")
        let icon = response.bytes
        #expect(icon.prefix(4) == [0, 0, 1, 0])
        #expect(icon[4] == 3)
        for image in 0..<3 {
            let entry = Array(icon[(6 + 16 * image)..<(22 + 16 * image)])
            let length = Int(entry[8]) | Int(entry[9]) << 8
            let start = Int(entry[12]) | Int(entry[13]) << 8
            #expect(
                try size(Array(icon[start..<start + length])) == [Int(entry[0]), Int(entry[1])])
        }
        let tag = try #require(response["etag"])
        #expect(try world.get("/favicon.ico", [("If-None-Match", tag)]).status == 304)
    }

    @Test("are linked from every page, for home screens, too")
    func links() throws {
        let html = try world.get("/").text
        // One icon, so that browsers don't fetch a second one.
        #expect(html.matches(of: #/<link rel="icon" /#).count == 1)
        let touch = try #require(
            html.firstMatch(of: /<link rel="apple-touch-icon" href="([^"]+)">/))
        let response = try world.get(String(touch.1))
        #expect(response["content-type"] == "image/png")
        #expect(try size(response.bytes) == [180, 180])
    }

    @Test("of the manifest are there, in the sizes that it says")
    func manifest() throws {
        let html = try world.get("/").text
        let link = try #require(html.firstMatch(of: /<link rel="manifest" href="([^"]+)">/))
        let response = try world.get(String(link.1))
        #expect(response.status == 200)
        #expect(response["content-type"] == "application/manifest+json")
        let manifest = try response.object
        #expect(manifest.string("name") == "Fave Games")
        #expect(manifest.string("start_url") == "/")
        #expect(manifest.string("theme_color")?.hasPrefix("#") == true)
        #expect(manifest.string("background_color")?.hasPrefix("#") == true)
        let icons = manifest.objects("icons")
        #expect(icons.contains { $0.string("purpose") == "maskable" })
        let sizes = Set(icons.compactMap { $0.string("sizes") })
        #expect(sizes.isSuperset(of: ["192x192", "512x512"]))
        for icon in icons {
            let path = "/assets/" + (icon.string("src") ?? "")
            let image = try world.get(path)
            #expect(image.status == 200, "\(path)")
            #expect(image["content-type"] == icon.string("type"))
            guard icon.string("type") == "image/png" else { continue }
            let width = try size(image.bytes).map { String($0) }.joined(separator: "x")
            #expect(width == icon.string("sizes"))
        }
    }
}
