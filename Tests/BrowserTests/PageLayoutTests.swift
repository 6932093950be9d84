import TestSupport
import Testing

/// A size of window and text.
private enum Look: String, CaseIterable {
    case wide, narrow, doubleText, phoneDoubleText

    var width: Int {
        switch self {
        case .wide: 1280
        case .narrow: 320
        case .doubleText: 640
        case .phoneDoubleText: 390
        }
    }

    var preferences: WebDriver.Preferences {
        .init(fontSize: self == .wide || self == .narrow ? 16 : 32)
    }
}

@Suite("The layout of pages", .blocking, .thorough)
struct PageLayoutTests {
    @Test(
        "fits the window, does not shift, and has controls large enough to touch",
        arguments: Look.allCases)
    fileprivate func layout(_ look: Look) async throws {
        try await WebDriver.run(look.preferences) { browser in
            try browser.resize(width: look.width)
            try await SitePage.visitAll(with: browser) { page in
                var shifts = try browser.shiftsWhileScrolling
                // A busy machine may show half a page first. What is wrong comes back each time.
                for _ in 0..<5 where !shifts.isEmpty {
                    try browser.reload()
                    shifts = try browser.shiftsWhileScrolling
                }
                #expect(shifts.isEmpty, "\(page)")
                try browser.openDetails()
                let tooWide = try browser.tooWide
                #expect(tooWide.isEmpty, "\(page)")
                let tooSmall = try browser.tooSmall
                #expect(tooSmall.isEmpty, "\(page)")
                let unlike = try browser.unlikeInWebKit
                #expect(unlike.isEmpty, "\(page)")
                let complaints = try browser.complaints(on: page)
                #expect(complaints.isEmpty, "\(page)")
            }
        }
    }

    @Test("is checked by what sees what is wrong")
    func checks() async throws {
        try await WebDriver.run { browser in
            try browser.resize(width: 320)
            try browser.open(
                """
                data:text/html,<!doctype html><div style='width:400px'>Wide</div>\
                <button style='padding:0;height:20px;width:90px'>Low</button>\
                <p>A <a href='/'>link</a> in a sentence.</p>\
                <p style='font-size:10px'><a href='/'>Alone</a></p>\
                <fieldset style='display:grid'><legend style='float:left'>Above</legend></fieldset>\
                <p><img src='data:,' alt='' style='min-width:9px;min-height:9px'></p>\
                <div style='columns:2'><p>One</p><p style='margin-top:9px'>Two</p></div>\
                <p><label style='display:inline-block;padding:4px'><input type=checkbox> A whole sentence to click, and so on.</label></p>\
                <script>\
                console.error('Oh no');\
                requestAnimationFrame(() => requestAnimationFrame(() => document.body.prepend('Hi')));\
                </script>
                """)
            let isTold = BrowserEngine.current.can(.layoutShiftReports)
            #expect(try browser.shiftsWhileScrolling.count == (isTold ? 1 : 0))
            let tooWide = try browser.tooWide
            #expect(tooWide.first == "408 px")
            #expect(tooWide.last?.contains("Wide") == true)
            let tooSmall = try browser.tooSmall
            #expect(tooSmall.count == 2)
            #expect(tooSmall.first?.contains("Low") == true)
            #expect(tooSmall.last?.contains("Alone") == true)
            let unlike = try browser.unlikeInWebKit
            // No legend floats in WebKit itself.
            #expect(unlike.count == (BrowserEngine.current == .webkit ? 2 : 3))
            let hasLog = BrowserEngine.current.can(.log)
            #expect(try browser.complaints(on: SitePage("/")).count == (hasLog ? 1 : 0))
        }
    }
}

extension WebDriver {
    /// What has moved since the page began to load, and while it is scrolled down and up again.
    fileprivate var shiftsWhileScrolling: [String] {
        get throws {
            try evaluate(
                """
                const shifts = [];
                if (!PerformanceObserver.supportedEntryTypes.includes("layout-shift")) return shifts;
                new PerformanceObserver((list) => {
                  for (const entry of list.getEntries()) {
                    const nodes = entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 200));
                    shifts.push(`${entry.value} ${nodes.join()}`);
                  }
                }).observe({ type: "layout-shift", buffered: true });
                const frame = () => new Promise((done) => requestAnimationFrame(done));
                for (const top of [document.body.scrollHeight, 0]) {
                  scrollTo({ top, behavior: "instant" });
                  await frame();
                  await frame();
                }
                return shifts;
                """)
        }
    }

    /// The elements that make the page scroll sideways.
    var tooWide: [String] {
        get throws {
            try evaluate(
                """
                const page = document.scrollingElement;
                if (page.scrollWidth <= page.clientWidth) return [];
                const beyond = [...document.body.querySelectorAll("*")].filter((element) => {
                  const { left, right } = element.getBoundingClientRect();
                  return right > page.clientWidth || left < 0;
                });
                return [`${page.scrollWidth} px`].concat(
                  beyond.slice(0, 5).map((element) => element.outerHTML.slice(0, 200)));
                """)
        }
    }

    /// Controls of which less than 24 by 24 CSS pixels can be hit. Links within sentences may be
    /// smaller (WCAG 2.2, 2.5.8).
    fileprivate var tooSmall: [String] {
        get throws {
            try evaluate(
                """
                const selector = "a[href], button, input, select, summary, textarea";
                const all = [...document.querySelectorAll(selector)];
                const block = (element) => {
                  while (getComputedStyle(element).display === "inline") {
                    element = element.parentElement;
                  }
                  return element;
                };
                const isInSentence = (link) => {
                  if (!link.matches("a") || getComputedStyle(link).display !== "inline") return false;
                  return block(link).innerText.trim() !== link.innerText.trim();
                };
                const isLargeEnough = (element) => {
                  const { width, height } = element.getBoundingClientRect();
                  return width >= 24 && height >= 24;
                };
                // What is hit may be larger than its box: a link may cover its card.
                const isHitAround = (element) => {
                  element.scrollIntoView({ block: "center", behavior: "instant" });
                  const { left, top, width, height } = element.getBoundingClientRect();
                  const [x, y] = [left + width / 2, top + height / 2];
                  return [[-11, -11], [11, -11], [-11, 11], [11, 11]].every(([right, down]) => {
                    const hit = document.elementFromPoint(x + right, y + down);
                    return hit !== null && (element.contains(hit) || hit.closest("a") === element);
                  });
                };
                return all.filter((control) =>
                  control.checkVisibility({ visibilityProperty: true })
                  && !control.closest(".hidden, [aria-hidden=true]")
                  && !isInSentence(control)
                  && ![control, ...(control.labels ?? [])].some(isLargeEnough)
                  && !isHitAround(control)
                ).map((control) => {
                  const { width, height } = control.getBoundingClientRect();
                  return `${width} × ${height}: ${control.outerHTML.slice(0, 200)}`;
                });
                """)
        }
    }

    /// What WebKit shows in another way: a legend as an item of a grid, which it is only here,
    /// pictures that can't be had, over which WebKit draws a question mark, and a margin where a column
    /// begins, which it keeps.
    fileprivate var unlikeInWebKit: [String] {
        get throws {
            try evaluate(
                """
                const legends = [...document.querySelectorAll("legend")].filter((legend) => {
                  const { float, position } = getComputedStyle(legend);
                  return float !== "none" || position !== "static";
                });
                const settled = (image) => image.complete ? null : new Promise((done) => {
                  image.addEventListener("load", done);
                  image.addEventListener("error", done);
                });
                const images = [...document.images].filter((image) => image.alt === "");
                for (const image of images) image.loading = "eager";
                await Promise.all(images.map(settled));
                const missing = images.filter((image) =>
                  !image.naturalWidth && image.getBoundingClientRect().width > 0);
                const columns = [...document.querySelectorAll("body *")].filter((element) => {
                  const { columnCount, columnWidth } = getComputedStyle(element);
                  return columnCount !== "auto" || columnWidth !== "auto";
                });
                const later = columns.flatMap(({ children }) => [...children].slice(1)).filter(
                  (child) => getComputedStyle(child).marginTop !== "0px");
                return [...legends, ...missing, ...later].map((element) => element.outerHTML.slice(0, 200));
                """)
        }
    }

    /// What the console says that is no mere remark. Covers are not there for the tests.
    fileprivate func complaints(on page: SitePage) throws -> [String] {
        try takeLog().filter { entry in
            guard ["SEVERE", "WARNING"].contains(entry.level) else { return false }
            let isCover = entry.message.hasPrefix("https://images.igdb.com/")
            let isStatus = page.status != 200 && entry.message.contains("\(page.status)")
            return !(entry.source == "network" && (isCover || isStatus))
        }.map { "\($0.source): \($0.message)" }
    }
}
