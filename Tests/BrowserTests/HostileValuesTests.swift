import Foundation
import TestSupport
import Testing

@testable import Views
@testable import view_compiler

/// Values that want to be more than values, in every place of a template that takes one, as a real
/// browser reads them.
@Suite("A hostile value in a page", .blocking, .thorough)
struct HostileValuesTests {
    /// Each `{}` is a value.
    private static let template = """
        <!doctype html><html><head><title>{}</title>
        <script>window.ran = 0; function run() { window.ran += 1 }</script>
        <script type="application/ld+json">{}</script>
        <meta name="a" content="{}"><link rel="canonical" href="{}">
        </head><body>
        <p id="text">{}</p><p id="attribute" title="{}" class="a {}" data-style="{}">a</p>
        <textarea id="area">{}</textarea><input id="input" value="{}">
        <a href="{}">a</a><a href="/@{}/b">a</a><a href="?a={}#{}">a</a><a href="{}#b">a</a>
        <img src="{}" srcset="{} 2x" alt="{}"><video poster="{}"></video><iframe src="{}"></iframe>
        <form action="{}"><button formaction="{}">a</button></form><script src="{}"></script>
        <select><option value="{}">{}</option></select><table><tr><td>{}</td></tr></table>
        <svg><title>{}</title><text>{}</text><a xlink:href="{}"><text>a</text></a></svg>
        <p id="end">end</p></body></html>
        """

    private static let values = [
        "<script>run()</script>", "</script><script>run()</script>", "<img src=x onerror=run()>",
        "\"><img src=x onerror=run()>", "' onmouseover=run() a='", "\" onmouseover=\"run()",
        "</title><script>run()</script>", "</textarea><script>run()</script>",
        "<svg onload=run()>", "<!--", "-->", "<![CDATA[", "</body></html>", "&lt;script&gt;&quot;",
        "&#x6A;avascript:run()", "javascript:run()", "JaVaScRiPt:run()", " javascript:run()",
        "java\nscript:run()", "\u{1}javascript:run()", "data:text/html,<script>run()</script>",
        "vbscript:run()", "//evil.example/a", "/\\evil.example", "/\t/evil.example",
        "<\u{301}script>run()</script>", "\"\u{301} onmouseover=run() ",
        "\u{600}\"><img src=x onerror=run()>", "`onmouseover=run()`", "{{ 1 }}", "\\\"<\\u003c",
        "]]>", "\u{2028}\u{2029}", "x\" srcset=\"y", "a, javascript:run() 2x",
    ]

    private static func page(_ value: String) throws -> String {
        try page { escaping in
            var html = HTML(reserving: 0)
            switch escaping {
            case .text: html.text(value)
            case .plainText: html.plainText(value)
            case .attribute: html.attribute(value)
            case .address: html.address(value)
            case .ownAddress: html.ownAddress(value)
            case .json:
                let json = try JSONSerialization.data(withJSONObject: ["value": value])
                html.json(JSONText(Array(json)))
            case .redirectAddress: Issue.record("no place of the template is one")
            }
            return html.bytes
        }
    }

    /// - Parameter write: Writes the value as the compiler of views has it written.
    private static func page(
        _ write: (HTMLContext.Escaping) throws -> [UInt8]
    ) throws -> String {
        var context = HTMLContext()
        var page: [UInt8] = []
        for (index, part) in template.components(separatedBy: "{}").enumerated() {
            if index > 0 { page += try write(try context.readValue()) }
            for byte in part.utf8 { try context.read(byte) }
            page += Array(part.utf8)
        }
        return String(decoding: page, as: UTF8.self)
    }

    /// What a browser makes of a page.
    private struct Reading: Decodable {
        let ran: Int
        /// The elements and the names of their attributes.
        let shape: [String]
        let text: String
        let attribute: String
        let area: String
        let input: String
        let title: String
        let json: String
        let end: String
        /// Where addresses lead: their schemes and hosts.
        let places: [String]
    }

    private static func read(_ page: String, in browser: WebDriver) throws -> Reading {
        // The page's own script is loaded before what follows it is read.
        try browser.run(
            """
            document.open(); document.write(arguments[0]); document.close();
            return new Promise(done => document.readyState === 'complete'
                ? done() : window.addEventListener('load', () => done()));
            """, page)
        return try browser.evaluate(
            """
            const all = [...document.querySelectorAll('*')];
            for (const element of all)
                for (const name of ['mouseover', 'focus', 'error', 'load'])
                    element.dispatchEvent(new Event(name));
            const find = id => document.getElementById(id);
            const places = [];
            for (const element of all)
                for (const name of ['href', 'src', 'action', 'formaction', 'poster', 'xlink:href'])
                    if (element.hasAttribute(name)) {
                        const place = new URL(element.getAttribute(name), document.baseURI);
                        places.push(place.protocol + '//' + place.host);
                    }
            return {
                ran: window.ran,
                shape: all.map(e => e.nodeName + ' ' + [...e.attributes].map(a => a.name).join(' ')),
                text: find('text').textContent, attribute: find('attribute').title,
                area: find('area').value, input: find('input').value,
                title: document.querySelector('title').textContent,
                json: JSON.parse(document.querySelector('[type$=json]').textContent).value,
                end: find('end').textContent, places: [...new Set(places)].sort(),
            };
            """)
    }

    @Test("is shown as it is, runs nothing and leads nowhere")
    func everywhere() async throws {
        try await FrontEndSite.run { port in
            let site = "http://127.0.0.1:\(port)"
            try await WebDriver.run { browser in
                try browser.open(site)
                let harmless = try Self.read(Self.page("/harmless"), in: browser)
                #expect(harmless.places == [site])
                for value in Self.values {
                    let page = try Self.read(Self.page(value), in: browser)
                    #expect(page.ran == 0, "\(value)")
                    #expect(page.shape == harmless.shape, "\(value)")
                    #expect(page.places == [site], "\(value)")
                    for text in [page.text, page.attribute, page.title, page.json] {
                        #expect(Array(text.utf8) == Array(value.utf8), "\(value)")
                    }
                    // What fields hold loses its line ends.
                    #expect(page.area == value)
                    #expect(page.input == value.replacing("\n", with: ""), "\(value)")
                    #expect(page.end == "end", "\(value)")
                }
            }
        }
    }

    @Test("would be seen to break out")
    func brokenOut() async throws {
        try await FrontEndSite.run { port in
            try await WebDriver.run { browser in
                try browser.open("http://127.0.0.1:\(port)")
                let harmless = try Self.read(Self.page("/harmless"), in: browser)
                let json = Array(#"{"value": "</script><b>"}"#.utf8)
                let page = try Self.page { escaping in
                    escaping == .json
                        ? Array(#"{"value": ""}"#.utf8) : Array("\"><img src=x onerror=run()>".utf8)
                }
                let broken = try Self.read(page, in: browser)
                #expect(broken.ran > 0)
                #expect(broken.shape != harmless.shape)
                // JSON that ends its block can't be read any more.
                #expect(throws: (any Error).self) {
                    try Self.read(
                        Self.page { $0 == .json ? json : Array("a".utf8) }, in: browser)
                }
            }
        }
    }
}
