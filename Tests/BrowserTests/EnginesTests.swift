import TestSupport
import Testing

private let others = BrowserEngine.allCases.filter { $0 != .chromium && $0.isInstalled }

/// The same pages in each engine that is installed, as boxes.
@Suite(
    "Pages in Chromium, Firefox and WebKit", .blocking, .thorough,
    .enabled(if: BrowserEngine.current == .chromium, "one run compares all engines"),
    .enabled(if: !others.isEmpty, "Chromium is the only engine here"))
struct EnginesTests {
    /// Parts of pages, whose elements are compared.
    private static let parts = [
        ("/", "body > header"), ("/@rob", "body > header"), ("/@rob", ".fave"),
        ("/platforms/ps3", ".place"), ("/platforms/ps3", ".rows > li"),
        ("/platforms/win", ".quotes"),
        ("/@rob/share", "main section"), ("/me", ".slot"), ("/me", ".adding"), ("/me", ".save"),
    ]

    @Test("have the same boxes, but for letters", arguments: [1280, 390])
    func boxes(width: Int) async throws {
        let expected = try await Self.boxes(in: .chromium, width)
        #expect(expected.count > 400)
        for engine in others {
            let found = try await Self.boxes(in: engine, width)
            try #require(found.map(\.name) == expected.map(\.name), "\(engine)")
            for (box, model) in zip(found, expected) where !box.isLike(model) {
                Issue.record("\(engine), \(width) px: \(box) instead of \(model)")
            }
        }
    }

    private static func boxes(in engine: BrowserEngine, _ width: Int) async throws -> [Box] {
        let server = try await World.shared.server
        return try await WebDriver.run(in: engine) { browser in
            try browser.resize(width: width, height: 900)
            try await browser.signIn(World.member, to: server)
            var boxes: [Box] = []
            for (target, part) in parts {
                if try browser.target != target { try browser.open(server.url(target)) }
                let some: [Box] = try browser.evaluate(Box.script, part)
                #expect(!some.isEmpty, "\(target), \(part), in \(engine)")
                boxes += some
            }
            return boxes
        }
    }
}

/// Where an element is within its part of the page.
private struct Box: Decodable, CustomStringConvertible {
    /// The tags and classes above it, too.
    let name: String
    let left, top, width, height: Double
    /// Of its text, and of that of the whole part; they break elsewhere if letters are a little wider.
    let lines, partLines: Int
    /// Whether its place or width follows from the widths of letters.
    let isText: Bool

    var description: String {
        "\(name) \(width) × \(height) at \(left), \(top), \(lines) lines"
    }

    func isLike(_ other: Box) -> Bool {
        // The height of a line is rounded differently.
        func isNear(_ one: Double, _ another: Double, lines: Int = 0) -> Bool {
            abs(one - another) <= 2 + 0.6 * Double(lines)
        }
        let isAsWide = isText || (isNear(left, other.left) && isNear(width, other.width))
        guard partLines == other.partLines else { return isAsWide }
        guard lines == other.lines else { return true }
        return isAsWide && isNear(top, other.top, lines: partLines)
            && isNear(height, other.height, lines: lines)
    }

    static let script = """
        const images = [...document.images];
        for (const image of images) image.loading = "eager";
        await Promise.all(images.map((image) => image.complete ? null : new Promise((done) => {
          image.addEventListener("load", done);
          image.addEventListener("error", done);
        })));
        await document.fonts.ready;
        const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "";
        const lines = (part) => {
          const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
          const tops = new Set();
          while (texts.nextNode()) {
            const range = document.createRange();
            range.selectNodeContents(texts.currentNode);
            for (const { top } of range.getClientRects()) tops.add(Math.round(top / 8));
          }
          return tops.size;
        };
        const name = (element, part) => {
          const own = element.localName + [...element.classList].map((word) => `.${word}`).join("");
          return element === part ? own : `${name(element.parentElement, part)} ${own}`;
        };
        return [...document.querySelectorAll(arguments[0])].flatMap((part) => {
          const origin = part.getBoundingClientRect();
          const elements = [part, ...part.querySelectorAll("*")].filter((element) =>
            !element.closest("svg") && element.localName !== "option" && !element.closest(".hidden")
            && element.checkVisibility({ visibilityProperty: true }));
          const partLines = lines(part);
          const boxes = elements.map((element) => element.getBoundingClientRect());
          for (const element of elements) element.style.letterSpacing = "1px";
          const wider = elements.map((element) => element.getBoundingClientRect());
          for (const element of elements) element.style.letterSpacing = "";
          return elements.map((element, index) => {
            const box = boxes[index];
            return {
              name: name(element, part), width: box.width, height: box.height,
              left: box.left - origin.left, top: box.top - origin.top,
              lines: lines(element), partLines,
              isText: wider[index].left !== box.left || wider[index].width !== box.width,
            };
          });
        });
        """
}
