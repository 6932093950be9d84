import Endpoints
import HTTP
import HTTPTypes

/// What crawlers are asked to leave alone, RFC 9309: what is for one person only. Crawlers may also
/// read what the API lets everyone read.
enum Robots {
    static let routes = [
        Route(.get, "/robots.txt", .file, returns: .response, caching: .constant) { context in
            let disallowed = disallowed(Routes.all).map { "Disallow: \($0)\n" }.joined()
            let settings = context.services.settings
            let agents = settings.admitsAICrawlers ? [] : aiCrawlers
            let text = """
                User-agent: *
                \(disallowed)
                \(agents.map { "User-agent: \($0)\n" }.joined())\
                \(agents.isEmpty ? "" : "Disallow: /\n\n")\
                Sitemap: \(settings.publicURL)/sitemap.xml

                """
            return Response.file(.text, Array(text.utf8))
        }
    ]

    /// The crawlers that collect what models are trained with, by the names that their operators document.
    /// The list leaves out crawlers of search engines, and programs that fetch a page for someone.
    static let aiCrawlers = [
        // The Allen Institute for AI: https://allenai.org/crawler
        "AI2Bot",
        // Amazon: https://developer.amazon.com/amazonbot
        "Amazonbot",
        // Apple's search still reads a page: https://support.apple.com/119829
        "Applebot-Extended",
        // ByteDance, which documents nothing.
        "Bytespider",
        // Common Crawl, whose archive many models are trained with: https://commoncrawl.org/ccbot
        "CCBot",
        // Anthropic: https://support.anthropic.com/articles/8896518
        "ClaudeBot",
        // OpenAI: https://platform.openai.com/docs/bots
        "GPTBot",
        // Google's search still reads a page:
        // https://developers.google.com/search/docs/crawling-indexing/google-common-crawlers
        "Google-Extended",
        // Meta: https://developers.facebook.com/docs/sharing/webmasters/web-crawlers
        "meta-externalagent",
    ]

    /// The disallowed paths. Crawlers compare only the beginning, so a path that begins with
    /// another disallowed path is left out.
    static func disallowed(_ routes: [Route]) -> [String] {
        let reads = routes.filter { $0.method == .get }
        let paths = reads.compactMap { route -> String? in
            // A parameter is the end of its segment.
            let path = route.pattern.split(separator: "/", omittingEmptySubsequences: false)
                .map { $0.contains("{") ? $0.prefix { $0 != "{" } + "*" : $0 }.joined(
                    separator: "/")
            return switch route.crawling {
            case .disallowed: path
            case .withoutQuery: path + "?"
            case .allowed, .listed: nil
            }
        }
        let others = reads.filter { $0.crawling != .disallowed }.map(\.pattern)
        return paths.filter { path in
            !paths.contains { path != $0 && path.hasPrefix($0) }
        }.map { path in
            // Crawlers may read another path that begins with this one, so `$` marks its end.
            others.contains { $0.hasPrefix(path + "/") } ? path + "$" : path
        }
    }
}
