import Endpoints
import FaveGames
import JSON
import Languages
import Views

/// A page's content for machines, in the vocabulary of <https://schema.org>, as JSON-LD.
enum StructuredData {
    static func of(
        _ list: FaveList, in language: Language, for site: SiteAddresses
    ) -> JSONText {
        itemList(
            list.owner.listTitle.string(in: language),
            site.publicURL + Path.list(list.owner.username), list.entries
        ) { json, entry in
            item(&json, entry.position, entry.game, on: entry.platform, in: language, site)
        }
    }

    static func of(
        _ snapshot: Snapshot, in language: Language, for site: SiteAddresses
    ) -> JSONText {
        itemList(
            snapshot.fullTitle.string(in: language),
            site.publicURL + Path.snapshot(snapshot.owner.username, snapshot.summary.slug),
            snapshot.entries
        ) { json, entry in
            item(&json, entry.position, entry.game, on: entry.platform, in: language, site)
        }
    }

    /// The beginning of a ranking. Games with equal counts get successive positions here.
    static func of(
        _ games: [RankedGame], on platform: Platform, in language: Language,
        for site: SiteAddresses
    ) -> JSONText {
        itemList(
            Words.mostLovedGames(on: platform.name).string(in: language),
            site.publicURL + Path.platform(platform),
            Array(games.enumerated())
        ) { json, ranked in
            item(
                &json, ranked.offset + 1, ranked.element.game, on: platform, in: language, site)
        }
    }

    private static func itemList<Element>(
        _ name: String, _ address: String, _ elements: [Element],
        _ write: (inout JSONWriter, Element) -> Void
    ) -> JSONText {
        var json = JSONWriter()
        json.object { json in
            json.member("@context", "https://schema.org")
            json.member("@type", "ItemList")
            json.member("name", name)
            json.member("url", address)
            json.member("itemListOrder", "https://schema.org/ItemListOrderAscending")
            json.member("numberOfItems", elements.count)
            json.name("itemListElement")
            json.array(elements, write)
        }
        return JSONText(json.bytes)
    }

    private static func item(
        _ json: inout JSONWriter, _ position: Int, _ game: Game, on platform: Platform,
        in language: Language, _ site: SiteAddresses
    ) {
        json.object { json in
            json.member("@type", "ListItem")
            json.member("position", position)
            json.name("item")
            json.object { json in
                json.member("@type", "VideoGame")
                json.member("name", game.name.string(in: language))
                json.member("url", site.publicURL + Path.game(game.id))
                json.member("gamePlatform", platform.name)
                if let cover = CoverImage(game, in: site.pictures) {
                    json.member("image", cover.large)
                }
            }
        }
    }
}
