import TestSupport
import Testing

@Suite("Someone who edits their list with a browser", .blocking, .thorough)
struct EditorTests {
    private func withRob(
        hasJavaScript: Bool = true, fontSize: Int = 16,
        _ body: (TestServer, WebDriver) async throws -> Void
    ) async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try Browser(server).signUp("rob", password: World.password)
            let preferences = WebDriver.Preferences(
                hasJavaScript: hasJavaScript, fontSize: fontSize)
            try await WebDriver.run(preferences) { browser in
                try browser.resize(width: 1280, height: 1000)
                try await browser.signIn("rob", to: server)
                try browser.open(server.url("/me"))
                try await body(server, browser)
            }
        }
    }

    private static let searches = [
        ("celeste", "Celeste"), ("tetris", "Tetris"), ("hollow kni", "Hollow Knight"),
        ("portal 2", "Portal 2"), ("elden", "Elden Ring"),
    ]

    @Test("builds one of five, reorders it by keyboard and by dragging, and shares it")
    func build() async throws {
        try await withRob { server, browser in
            for (text, name) in Self.searches {
                try browser.find("#find").type(text)
                try await browser.wait(for: "\(name) among the suggestions") {
                    try browser.findAll("[role=option] bdi").first?.text == name
                }
                try browser.press(.arrowDown)
                try browser.press(.enter)
                #expect(try browser.said.hasPrefix("Added \(name) as number"))
                try browser.choosePlatform()
            }
            #expect(try browser.titles == Self.searches.map(\.1))
            #expect(try browser.focused.attribute("id") == "comment-new-1")

            // By the keyboard alone: on the handle, and with a button.
            try browser.run("document.querySelectorAll('.grip')[0].focus()")
            try browser.press(.arrowDown)
            #expect(try browser.said == "Celeste is now number 2 of 5.")
            try browser.press(.arrowDown)
            #expect(try browser.titles.prefix(3) == ["Tetris", "Hollow Knight", "Celeste"])
            try browser.run("document.querySelectorAll(\"[value^='up:']\")[4].focus()")
            try browser.press(.enter)
            try browser.press(.enter)
            #expect(
                try browser.titles
                    == ["Tetris", "Hollow Knight", "Elden Ring", "Celeste", "Portal 2"])

            let grips = try browser.findAll(".grip")
            try browser.drag(grips[3], to: grips[0], offset: -20)
            #expect(
                try browser.titles
                    == ["Celeste", "Tetris", "Hollow Knight", "Elden Ring", "Portal 2"])
            #expect(try browser.said == "Celeste is now number 1 of 5.")
            let moved = try browser.findAll(".grip")
            try browser.drag(moved[0], to: moved[2], offset: 20)
            #expect(
                try browser.titles
                    == ["Tetris", "Hollow Knight", "Celeste", "Elden Ring", "Portal 2"])

            // Removed by mistake.
            try browser.run("document.querySelectorAll(\"[value^='remove:']\")[1].focus()")
            try browser.press(.enter)
            #expect(try browser.titles == ["Tetris", "Celeste", "Elden Ring", "Portal 2"])
            #expect(try browser.said == "Removed Hollow Knight. You can undo this.")
            try browser.press(.enter)
            #expect(try browser.titles.contains("Hollow Knight"))

            try browser.unfold()
            try browser.findAll("textarea")[0].type("One more.\n<b>Always</b>.")
            try browser.findAll("[name=tags]")[0].type("Puzzle, falling blocks")
            try browser.findAll("[name=rating]")[0].type("★★★★★")
            #expect(try server.send("GET", "/@rob").text.contains("Still choosing"))
            try await browser.find("[value=save]").follow()
            #expect(try browser.target == "/@rob/share?saved")

            try await browser.findLink("View your list").follow()
            #expect(
                try browser.findAll(".fave h2").map { try $0.text }
                    == ["Tetris", "Hollow Knight", "Celeste", "Elden Ring", "Portal 2"])
            #expect(try browser.find(".why").property("textContent") == "One more.\n<b>Always</b>.")
            #expect(
                try browser.findAll(".tags a").map { try $0.text } == ["puzzle", "falling blocks"])
            // For those who are not signed in, the page names its card.
            let card: String = try browser.evaluate(
                """
                const page = await (await fetch(location.href, {credentials: "omit"})).text();
                const card = new DOMParser().parseFromString(page, "text/html")
                    .querySelector("meta[property='og:image']").content;
                const response = await fetch(new URL(card).pathname);
                return `${response.status} ${response.headers.get("Content-Type")}`;
                """)
            #expect(card == "200 image/png")
            #expect(try browser.takeLog().filter { $0.level == "SEVERE" }.isEmpty)
        }
    }

    @Test("is offered to swap a game out when there are five already")
    func sixth() async throws {
        try await withRob { server, browser in
            for (text, _) in Self.searches { try await browser.addFirst(text) }
            try await browser.suggest("doom")
            try await browser.follow { try browser.press(.enter) }
            #expect(try browser.find("#offer").text == "Your five are full")
            #expect(try browser.focused.attribute("id") == "offer")
            try await browser.findAll(".offer button")[1].follow()
            #expect(try browser.titles.count == 5)
            #expect(try browser.titles[1].contains("Doom"))
        }
    }

    @Test("sees how a reason begins while its field is folded", arguments: [1280, 390, 320])
    func folded(width: Int) async throws {
        try await withRob { server, browser in
            try await browser.addFirst("celeste")
            try await browser.addFirst("tetris")
            try browser.resize(width: width, height: 800)
            let looks = """
                return [...document.querySelectorAll(".why-field > summary")].map((summary) =>
                  [...summary.children].filter((part) => part.getBoundingClientRect().width > 20)
                    .map((part) => part.textContent).join("|"))
                """
            try browser.run(
                "for (const why of document.querySelectorAll('.why-field')) why.open = true")
            let reason =
                "\n  The climb,   and the music on the way up. \(String(repeating: "So good. ", count: 40))"
            try browser.findAll("textarea")[0].type(reason)
            try browser.findAll("textarea")[1].type("   ")
            let question = "Why do you love it?"
            #expect(try browser.evaluate(looks) == [question, question])
            try browser.run(
                "for (const why of document.querySelectorAll('.why-field')) why.open = false")
            func expectReason() throws {
                let seen: [String] = try browser.evaluate(looks)
                #expect(seen[0].contains("The climb"), "\(seen)")
                #expect(seen[0].contains(question) == (width > 480), "there is no room for both")
                #expect(seen[1] == question)
                let height: Double = try browser.evaluate(
                    "return document.querySelector('.why-field > summary').getBoundingClientRect().height"
                )
                #expect(height < 50)
            }
            try expectReason()
            try browser.run(
                "document.querySelectorAll('.slot-list')[0].classList.add('is-sorting')")
            try expectReason()
            try browser.run(
                "document.querySelectorAll('.slot-list')[0].classList.remove('is-sorting')")
            try await browser.save()
            try browser.open(server.url("/me"))
            try expectReason()
        }
    }

    @Test("is asked where, sees which platform was guessed, and writes where a reason is unfolded")
    func guesses() async throws {
        try await withRob { server, browser in
            try await browser.suggest("hollow kni")
            try browser.press(.enter)
            #expect(try browser.find(".where .links").text.hasPrefix("Where did you play it?"))
            #expect(
                try browser.find(".where .links").attribute("aria-label")
                    == "Where did you play Hollow Knight?")
            try browser.press(.enter)
            #expect(try !browser.has(".guess"), "this one was chosen")
            try await browser.suggest("celeste")
            try browser.press(.enter)
            #expect(try browser.find(".guess").text == "our guess")
            let select = try browser.findAll("[name=platform]")[1]
            #expect(
                try select.attribute("aria-describedby")
                    == browser.find(".guess").attribute("id"))
            #expect(try browser.said.hasSuffix(", our guess."))
            try browser.run("arguments[0].focus()", select)
            try browser.press(.tab)
            #expect(try !browser.has(".guess"))
            #expect(try select.attribute("aria-describedby") == nil)
            try browser.run("arguments[0].value = 'The climb'", browser.findAll("textarea")[1])
            try browser.findAll(".why-field > summary")[1].click()
            #expect(try browser.focused.attribute("name") == "comment")
            try browser.focused.type(", and the end")
            #expect(
                try browser.findAll("textarea")[1].property("value") == "The climb, and the end")
            try browser.findAll(".why-field > summary")[1].click()
            #expect(try !browser.findAll("textarea")[1].isDisplayed)
        }
    }

    @Test("reads whole words on a phone with letters twice as large")
    func largeLetters() async throws {
        try await withRob(fontSize: 32) { server, browser in
            try browser.resize(width: 390, height: 844)
            try await browser.addFirst("hollow kni")
            try await browser.suggest("tetris")
            try browser.press(.enter)
            // Neither the title nor a question is squeezed into a column of letters.
            let narrow: [String] = try browser.evaluate(
                """
                const parts = document.querySelectorAll(".title, .why-field > summary, .where .links");
                return [...parts].filter((part) => part.clientWidth < 250).map((part) => part.innerText);
                """)
            #expect(narrow == [])
            let width: Int = try browser.evaluate("return document.documentElement.scrollWidth")
            #expect(width == 390)
        }
    }

    @Test("keeps the search in view while adding, however low the window is")
    func lowWindow() async throws {
        try await withRob { server, browser in
            try browser.resize(width: 844, height: 420)
            for (text, _) in Self.searches {
                try await browser.addFirst(text)
                let isInView: Bool = try browser.evaluate(
                    """
                    const { top, bottom } = document.activeElement.getBoundingClientRect();
                    return top >= 0 && bottom <= innerHeight;
                    """)
                #expect(isInView, "\(text)")
            }
        }
    }

    @Test("finds every field and row named, whether the script or the server made it")
    func names() async throws {
        try await withRob { server, browser in
            try await browser.addFirst("celeste")
            try await browser.addFirst("tetris")
            let unnamed = """
                const ids = [...document.querySelectorAll("[aria-labelledby], [aria-describedby]")]
                  .flatMap((part) => [part.getAttribute("aria-labelledby"), part.getAttribute("aria-describedby")])
                  .filter(Boolean).flatMap((names) => names.split(" "));
                return ids.filter((id) => document.querySelectorAll(`[id="${id}"]`).length !== 1);
                """
            let groups = """
                return [...document.querySelectorAll(".entry")].map((entry) =>
                  document.getElementById(entry.getAttribute("aria-labelledby")).innerText.trim())
                """
            #expect(try browser.evaluate(unnamed) == [String]())
            let made: [String] = try browser.evaluate(groups)
            #expect(made.count == 2 && made[1].contains("2") && made[1].contains("Tetris"))
            try browser.unfold()
            try browser.findAll("[name=tags]")[0].type("cosy")
            try await browser.save()
            try browser.open(server.url("/me"))
            #expect(try browser.evaluate(unnamed) == [String]())
            #expect(try browser.evaluate(groups) == made)
            // Tags and ratings that are there aren't folded away within what people open.
            let open: [Bool] = try browser.evaluate(
                "return [...document.querySelectorAll('.why-field details')].map(({ open }) => open)"
            )
            #expect(open == [true, false])
        }
    }

    @Test("drags the last to the top, although that is far away", arguments: [1280, 390])
    func farDrag(width: Int) async throws {
        try await withRob { server, browser in
            for (text, _) in Self.searches { try await browser.addFirst(text) }
            try browser.resize(width: width, height: 700)
            // The pointer stays near the upper edge of the window, and the page moves.
            let holds: Bool = try browser.evaluate(
                """
                const grip = document.querySelectorAll(".grip")[4];
                grip.scrollIntoView({ block: "center", behavior: "instant" });
                const box = grip.getBoundingClientRect();
                const y = box.top + box.height / 2;
                const send = (target, kind, clientY) => target.dispatchEvent(new PointerEvent(
                  kind, { bubbles: true, button: 0, pointerId: 1, clientX: box.left, clientY }));
                window.lift = () => send(window, "pointerup", 10);
                send(grip, "pointerdown", y);
                send(window, "pointermove", y - 30);
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                const held = grip.getBoundingClientRect();
                send(window, "pointermove", 10);
                return Math.abs(held.top + held.height / 2 - (y - 30)) < 2;
                """)
            #expect(holds, "the handle is under the pointer")
            try await browser.wait(for: "the last to be the first") {
                try browser.titles.first == "Elden Ring"
            }
            try browser.run("lift()")
            #expect(
                try browser.titles
                    == ["Elden Ring", "Celeste", "Tetris", "Hollow Knight", "Portal 2"])
            #expect(try browser.said == "Elden Ring is now number 1 of 5.")
        }
    }

    @Test("as a guest, loses none of five to a sixth, and chooses which to swap")
    func sixthOfGuest() async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try await WebDriver.run { browser in
                try browser.resize(width: 1280, height: 1000)
                try browser.open(server.url("/me"))
                for (text, _) in Self.searches { try await browser.addFirst(text) }
                try browser.unfold()
                try browser.findAll("textarea")[4].type("The last one.")
                try browser.open(server.url("/me?add=71"))
                try await browser.wait(for: "the offer") { try browser.has("#offer") }
                #expect(try browser.titles == Self.searches.map(\.1))
                #expect(try browser.findAll("textarea")[4].property("value") == "The last one.")
                try await browser.findAll(".offer button")[0].follow()
                #expect(try browser.titles == ["Portal"] + Self.searches.dropFirst().map(\.1))
            }
        }
    }

    @Test("is asked about what was started in this browser, and by whom it may have been")
    func guestDraft() async throws {
        try await TestServer.run(settings: TestServer.forBrowsers) { server in
            try Browser(server).signUp("rob", password: World.password)
            try await WebDriver.run { browser in
                try browser.resize(width: 1280, height: 1000)
                try browser.open(server.url("/me"))
                try await browser.addFirst("celeste")
                try await browser.signIn("rob", to: server)
                try browser.open(server.url("/me"))
                #expect(try browser.titles.isEmpty)
                #expect(try browser.find(".notice").text.contains("Celeste"))
                try browser.find(".notice button").click()
                #expect(try browser.titles == ["Celeste"])
                try browser.open(server.url("/?done=signed-out"))
                let isGone: Bool = try browser.evaluate("return localStorage.length === 0")
                #expect(isGone)
                // Nothing in storage can break the page.
                for junk in ["7", "{}", "[1]", #"{"at": 9e15, "games": [{}, null, 1]}"#] {
                    try browser.run("localStorage.setItem('my five', arguments[0])", junk)
                    try browser.open(server.url("/me"))
                    #expect(try browser.find("#find").attribute("role") == "combobox", "\(junk)")
                }
            }
        }
    }

    @Test("is told in one tab what another one has saved meanwhile")
    func twoTabs() async throws {
        try await withRob { server, browser in
            for (text, _) in Self.searches.prefix(2) { try await browser.addFirst(text) }
            try await browser.save()
            try browser.open(server.url("/me"))
            let first = try browser.tab
            try browser.openTab(server.url("/me"))
            try browser.unfold()
            try browser.findAll("textarea")[0].type("From the second tab.")
            try await browser.save()
            try browser.go(to: first)
            try browser.unfold()
            try browser.findAll("textarea")[1].type("From the first tab.")
            try await browser.find("[value=save]").follow()
            let notice = try browser.find("[role=alert]").text
            #expect(notice.contains("changed elsewhere"))
            #expect(notice.contains("Your reason for “Celeste”"))
            #expect(try browser.findAll("textarea")[1].property("value") == "From the first tab.")
            #expect(try !server.send("GET", "/@rob").text.contains("From the first tab."))
            try await browser.save()
            #expect(try server.send("GET", "/@rob").text.contains("From the first tab."))
        }
    }

    @Test("is asked before changes are lost")
    func leaving() async throws {
        try await withRob { server, browser in
            try await browser.addFirst("celeste")
            // What the browser asks before it would ask the person.
            let isAsked: Bool = try browser.evaluate(
                """
                const event = new Event("beforeunload", { cancelable: true });
                dispatchEvent(event);
                return event.defaultPrevented;
                """)
            #expect(isAsked)
            try await browser.save()
            try browser.open(server.url("/me"))
            let isAskedAgain: Bool = try browser.evaluate(
                """
                const event = new Event("beforeunload", { cancelable: true });
                dispatchEvent(event);
                return event.defaultPrevented;
                """)
            #expect(!isAskedAgain)
        }
    }

    @Test("does the same without JavaScript, and deletes the account in the end")
    func withoutJavaScript() async throws {
        try await withRob(hasJavaScript: false) { server, browser in
            for (text, name) in Self.searches {
                try browser.find("#find").fill(text)
                try await browser.follow { try browser.press(.enter) }
                let add = try browser.find(".results button")
                #expect(try browser.find(".results bdi").text == name)
                // Not by the mouse: the bar to save with may lie above it.
                try browser.run("arguments[0].focus()", add)
                try await browser.follow { try browser.press(.enter) }
                #expect(try browser.titles.last == name)
                // Where there is nothing to choose, the next game can be searched for, or the first
                // reason written.
                try await browser.wait(for: "the focus") {
                    try browser.focused.attribute("name") != nil
                }
                if try browser.focused.attribute("name") == "platform" {
                    try browser.press(.arrowDown)
                } else {
                    #expect(
                        try browser.focused.attribute("id")
                            == (name == "Elden Ring" ? "comment-new-1" : "find"))
                }
            }
            try browser.unfold()
            try browser.findAll("textarea")[4].type("Typed before.")
            try browser.run("document.querySelectorAll(\"[value^='up:']\")[4].focus()")
            try await browser.follow { try browser.press(.enter) }
            #expect(try browser.titles.suffix(2) == ["Elden Ring", "Portal 2"])
            try browser.run("document.querySelectorAll(\"[value^='remove:']\")[0].focus()")
            try await browser.follow { try browser.press(.enter) }
            #expect(try browser.titles.first == "Tetris")
            try browser.run("document.querySelector('.is-removed .undo button').focus()")
            try await browser.follow { try browser.press(.enter) }
            #expect(try browser.titles.first == "Celeste")
            #expect(try server.send("GET", "/@rob").text.contains("Still choosing"))
            try await browser.find("[value=save]").follow()
            #expect(try browser.target == "/@rob/share?saved")
            #expect(try server.send("GET", "/@rob").text.contains("Typed before."))

            try browser.open(server.url("/settings"))
            try browser.find("#delete summary").click()
            try browser.find("#delete-username").type("rob")
            try browser.find("#delete-password").type(World.password)
            try await browser.find("#delete button").follow()
            #expect(try server.send("GET", "/@rob").status == 404)
        }
    }
}

extension WebDriver {
    /// The games of the editing page that are not removed.
    fileprivate var titles: [String] {
        get throws {
            try evaluate(
                """
                return [...document.querySelectorAll("[data-slot]:not(.is-removed) .title bdi")]
                  .map((name) => name.textContent)
                """)
        }
    }

    /// What the page has told those who do not see it.
    fileprivate var said: String {
        get throws { try evaluate("return document.querySelector('[data-said]').textContent") }
    }

    /// Adds the first game that is suggested, on its first platform.
    fileprivate func addFirst(_ text: String) async throws {
        try await suggest(text)
        try press(.enter)
        try choosePlatform()
    }

    /// Chooses the first platform for the game that was just added, if it has none.
    fileprivate func choosePlatform() throws {
        if try has(".where .links") {
            try press(.enter)
        } else if try focused.attribute("name") == "platform" {
            try press(.arrowDown)
        }
    }

    /// Opens the fields that can be left empty.
    fileprivate func unfold() throws {
        try run(
            "for (const field of document.querySelectorAll('.editor details')) field.open = true")
    }

    fileprivate func suggest(_ text: String) async throws {
        try find("#find").fill(text)
        try await wait(for: "suggestions") {
            try has("[role=listbox]:not([hidden]) [role=option]")
        }
        try press(.arrowDown)
    }

    fileprivate func save() async throws {
        try await find("[value=save]").follow()
        guard try target == "/@rob/share?saved" else { throw TestFailure("not saved: \(try url)") }
    }
}
