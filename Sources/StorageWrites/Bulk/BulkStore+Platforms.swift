package import FaveGames
import Postgres
import Storage

/// A platform with all its values from the data file.
package struct PlatformSeed: Sendable {
    package let platform: Platform
    package let generation: Int?
    package let family: String?

    package init(platform: Platform, generation: Int?, family: String?) {
        self.platform = platform
        self.generation = generation
        self.family = family
    }
}

extension BulkStore {
    /// Adds missing platforms and updates those that differ. Deletes none.
    package func seed(_ platforms: [PlatformSeed]) throws -> Changes {
        let (added, updated) = try session.row(
            Self.seedPlatforms,
            [
                .ints(platforms.map(\.platform.id)),
                .texts(platforms.map(\.platform.slug)),
                .texts(platforms.map(\.platform.name)),
                .texts(platforms.map(\.platform.abbreviation)),
                .texts(platforms.map { $0.generation.map { String($0) } }),
                .texts(platforms.map(\.family)),
            ])
        return Changes(
            added: added, updated: updated, unchanged: platforms.count - added - updated)
    }

    /// How many rows were added, and how many were updated.
    private static let seedPlatforms = Query(
        "seed_platforms", .write,
        columns(
            column("count(*) FILTER (WHERE is_new)", Int.self),
            column("count(*) FILTER (WHERE NOT is_new)", Int.self))
    ) {
        """
        WITH seed AS (
            SELECT * FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[],
                                 $5::smallint[], $6::text[])
                AS s (id, slug, name, abbreviation, generation, family)
        ), changed AS (
            INSERT INTO platforms AS p (id, slug, name, abbreviation, generation, family)
            SELECT id, slug, name, abbreviation, generation, family FROM seed ORDER BY id
            ON CONFLICT (id) DO UPDATE
            SET slug = excluded.slug, name = excluded.name,
                abbreviation = excluded.abbreviation,
                generation = excluded.generation, family = excluded.family
            WHERE (p.slug, p.name, p.abbreviation, p.generation, p.family) IS DISTINCT FROM
                  (excluded.slug, excluded.name, excluded.abbreviation,
                   excluded.generation, excluded.family)
            -- A row that the statement made has never been locked or updated.
            RETURNING p.xmax = 0 AS is_new
        )
        SELECT \($0) FROM changed
        """
    }
}
