/// Names for people who do not exist.
struct DemoPeople: Sendable {
    struct Person: Sendable {
        let username: String
        let displayName: String
        /// In the person's own language, or none.
        let comments: [String]
    }

    /// How many users come first and, like early birds, get a username without their number. Later
    /// users have their number in their username, so every username is unique.
    static let earlyBirds = 2_048

    private let cultures: [DemoCulture]
    private let culture: AliasTable
    private let early: [Person]

    init(seed: UInt64) {
        let cultures = DemoWords.all.cultures
        let culture = AliasTable(weights: cultures.map(\.weight))
        self.cultures = cultures
        self.culture = culture

        var taken: Set<String> = []
        var early: [Person] = []
        var random = SeededGenerator(seed: seed, stream: .max)
        while early.count < Self.earlyBirds {
            let chosen = cultures[culture.pick(using: &random)]
            let person = Self.invent(in: chosen, mayEndInDigits: true, using: &random)
            if taken.insert(person.username).inserted {
                early.append(person)
            }
        }
        self.early = early
    }

    func person(_ index: Int, using random: inout SeededGenerator) -> Person {
        if index < early.count {
            return early[index]
        }
        let chosen = cultures[culture.pick(using: &random)]
        let person = Self.invent(in: chosen, mayEndInDigits: false, using: &random)
        // No early bird's username ends in a number this large, and no other user has this number.
        let number = String(index)
        return Person(
            username: person.username.prefix(30 - number.utf8.count) + number,
            displayName: person.displayName, comments: person.comments)
    }

    /// Makes a person up; `mayEndInDigits` allows a username such as `tomasz86`.
    private static func invent(
        in culture: DemoCulture, mayEndInDigits: Bool, using random: inout SeededGenerator
    ) -> Person {
        let words = DemoWords.all
        let given = random.pick(culture.given)
        let family = random.pick(culture.family)
        let adjective = random.pick(words.adjectives)
        let noun = random.pick(words.nouns)

        let hidesName = random.chance(0.5)
        var username =
            hidesName
            ? adjective + random.pick(["", "", "_", "-"]) + noun
            : handle(given.handle, family.handle, noun, using: &random)
        if mayEndInDigits, random.chance(hidesName ? 0.15 : 0.25) {
            username += String(random.chance(0.7) ? 75 + random.below(25) : 2 + random.below(70))
        }

        var displayName = culture.display(given, family, style: random.unit())
        if hidesName, random.chance(0.5) {
            displayName = capitalised(adjective) + " " + capitalised(noun)
        }
        if random.chance(0.05) {
            displayName += " " + random.pick(words.emoji)
        }
        return Person(
            username: username, displayName: displayName, comments: culture.comments ?? [])
    }

    private static func handle(
        _ given: String, _ family: String, _ noun: String, using random: inout SeededGenerator
    ) -> String {
        switch random.unit() {
        case ..<0.25: given + random.pick(["", "_", "-"]) + family
        case ..<0.45: given + random.pick(["_", "-", ""]) + family.prefix(1)
        case ..<0.60: given.prefix(1) + family
        case ..<0.75: given + random.pick(["_plays", "-plays", "_at_home", "_again", "_irl"])
        case ..<0.90: noun + "_" + given
        default: given
        }
    }

    private static func capitalised(_ word: String) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }
}
