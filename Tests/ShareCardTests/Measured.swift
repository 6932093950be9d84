import FaveGames
import Foundation

@testable import ShareCard

/// What a tall card consists of, measured.
struct Measured: Sendable {
    struct Cover: Sendable {
        let rank: Int
        let box: Box
    }

    struct Words: Sendable {
        let role: Composition.Role
        let fontSize: Double
        let isWhole: Bool
        let breaksWord: Bool
        /// Where something of them can be seen.
        let box: Box
        let color: Color
        let ground: Color
    }

    let covers: [Cover]
    let words: [Words]
    let plates: [Box]
    let scheme: Scheme

    init(_ card: ShareCard, covers: [String: [UInt8]] = [:]) throws {
        let pictures = covers.compactMapValues(CoverPicture.init)
        self = try Canvas.draw(width: 10, height: 10) { canvas throws(CardError) in
            canvas.covers = pictures
            return Measured(try card.composition(on: canvas))
        }
    }

    private init(_ composition: Composition) {
        covers = composition.covers.map { Cover(rank: $0.entry.rank, box: $0.box) }
            .sorted { $0.rank < $1.rank }
        words = composition.words.map { words in
            let size = words.text.size
            var box = words.box
            box.width = min(box.width, size.width)
            box.height = min(box.height, size.height)
            box.y = words.box.middle - box.height / 2
            return Words(
                role: words.role, fontSize: words.text.font.size, isWhole: words.text.isWhole,
                breaksWord: words.text.breaksWord, box: box, color: words.color,
                ground: words.ground)
        }
        plates = composition.plates.map(\.box)
        scheme = composition.scheme
    }

    func words(_ role: Composition.Role) -> [Words] { words.filter { $0.role == role } }

    var coveredArea: Double { covers.map { $0.box.width * $0.box.height }.reduce(0, +) }
}

extension Box {
    func overlaps(_ other: Box) -> Bool {
        min(maxX, other.maxX) - max(x, other.x) > 1 && min(maxY, other.maxY) - max(y, other.y) > 1
    }
}

/// Reasons of exactly as many letters as a card quotes in full.
enum Reason {
    static let all: [(script: String, text: String)] = [
        (
            "Latin",
            "I sat by the fire at the end and did not want to leave. No game has ever made me feel so small "
        ),
        ("capitals", "W WW WWWW "),
        ("Cyrillic", "Я сидел у костра в конце и не хотел уходить, потому что было тепло. "),
        (
            "Arabic",
            "كل زاوية سرّ، وكل سرّ له صوت. ما زلت أذكر المرة الأولى التي سمعت فيها موسيقى المدينة "
        ),
        ("Hebrew", "ישבתי ליד המדורה בסוף ולא רציתי לעזוב, אף משחק לא גרם לי להרגיש כך "),
        ("Thai", "ผมนั่งข้างกองไฟตอนจบและไม่อยากจากไป ไม่มีเกมไหนทำให้ผมรู้สึกแบบนี้ "),
        ("Japanese", "最後に焚き火のそばに座って、帰りたくないと思った。こんなに自分が小さく感じたことはない、"),
        ("Korean", "마지막에 모닥불 옆에 앉아 떠나고 싶지 않았다. 이렇게 환영받는다고 느낀 적이 없다. "),
        ("Hindi", "मैं अंत में आग के पास बैठा और जाना नहीं चाहता था क्योंकि वहाँ बहुत सुकून था। "),
    ].map { script, text in
        let letters = String(repeating: text, count: 60).prefix(CardText.quoteLimit - 1)
        return (script, letters + "!")
    }
}

/// Names of games of all kinds.
enum Titles {
    static let short = ["Outer Wilds", "Celeste", "Disco Elysium", "Ico", "Tetris"]
    static let long = [
        "Strong Bad's Cool Game for Attractive People Episode 4: Dangeresque 3 - The Criminal Projective",
        "Marvel's Guardians of the Galaxy: The Telltale Series - Episode 5: Don't Stop Believin'",
        "Layton's Mystery Journey: Katrielle and the Millionaires' Conspiracy - Deluxe Edition",
        "The Legend of Zelda: Breath of the Wild and Everything That Comes with It on Switch",
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    ]
    static let japanese = [
        "ゼルダの伝説 ブレス オブ ザ ワイルド", "シェンムー 一章 横須賀", "ファイナルファンタジーVII",
        "スーパーマリオブラザーズ", "ICO",
    ]
    static let emoji = ["Undertale ❤️", "Katamari 🌍", "🎮", "👩‍👩‍👧‍👦", "Mother 3"]
}

extension FaveList {
    /// A list in which number one has a why.
    static func titled(
        _ titles: [String], why: String, name: String = "Maximiliana Wolfeschlegelstein"
    ) -> FaveList {
        of(
            titles.enumerated().map {
                TestGame(name: $1, id: $0 + 1, platform: "Nintendo Switch", why: $0 == 0 ? why : "")
            }, username: String(repeating: "w", count: 30), name: name)
    }
}
