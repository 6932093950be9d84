import HTTP
import HTTPTypes

/// What crawlers are asked to leave alone, RFC 9309: what is for one person only. All that the API
/// lets everybody read may be read by them, too.
enum Robots {
    static func show(_ call: Call) throws -> Response {
        let text = """
            User-agent: *
            Disallow: /me
            Disallow: /settings
            Disallow: /sign-
            Disallow: /entries?
            Disallow: /@*/kindred
            Disallow: /api/v1/me
            Disallow: /api/v1/sessions

            Sitemap: \(call.services.settings.publicURL)/sitemap.xml

            """
        return try Response.file(.text, Array(text.utf8)).conditional(for: call)
    }
}
