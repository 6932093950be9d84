import HTTP
import JSON
import Testing

@testable import Endpoints

@Suite("A representation")
struct RepresentationTests {
    private static let cover = ObjectRepresentation<String>(
        "Cover", nil,
        [
            .init("title", .text(example: "Emma"), "The title.") { $0 },
            .ofSite("picture", .text(example: "/emma.jpg"), "The cover.") { "\($1.pictures)\($0)" },
            .optional("page", .text(example: "/emma"), "The page.") { $0.isEmpty ? nil : $0 },
        ])

    @Test("names the site that it is written for, however deep its values are")
    func site() throws {
        let shelf = ObjectRepresentation<[String]>(
            nil, nil,
            [
                .init(
                    "covers",
                    .array(
                        of: ObjectRepresentation(
                            nil, nil, [.init("cover", .nullable(Self.cover)) { $0 as String? }]))
                ) { $0 }
            ])
        for host in ["one.example", "other.example"] {
            let site = SiteAddresses(
                publicURL: "https://\(host)", pictures: "https://\(host)/pictures/")
            let response = Response.json(["emma"], shelf, for: site)
            #expect(
                try JSONParser.parse(response.body) == [
                    "covers": [
                        [
                            "cover": [
                                "title": "emma",
                                "picture": .string("https://\(host)/pictures/emma"),
                                "page": "emma",
                            ]
                        ]
                    ]
                ])
        }
    }

    @Test("requires and describes a member that depends on the site, like any other")
    func schema() {
        let schema = Self.cover.schema
        #expect(schema.example == ["title": "Emma", "picture": "/emma.jpg", "page": "/emma"])
    }
}
