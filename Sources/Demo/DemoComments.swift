/// Reasons to love a game, put together from sentences that fit any game.
struct DemoComments: Sendable {
    private let openers = DemoPhrases.openers
    private let reasons = DemoPhrases.reasons
    private let closers = DemoPhrases.closers
    private let paragraphs = DemoPhrases.paragraphs
    /// Whole comments, by the raw value of their language.
    private let foreign = DemoLanguage.allCases.map { DemoPhrases.foreign[$0] ?? [] }

    /// A comment by someone who speaks a language: empty in a quarter of all cases, often in that
    /// language, otherwise in English. At most 1,000 characters.
    func comment(in language: DemoLanguage, using random: inout SeededGenerator) -> String {
        if random.chance(0.25) {
            return ""
        }
        let own = foreign[language.rawValue]
        if !own.isEmpty, random.chance(0.5) {
            let first = random.pick(own)
            let second = random.pick(own)
            return first == second || random.chance(0.65) ? first : first + "\n" + second
        }
        return english(using: &random)
    }

    private func english(using random: inout SeededGenerator) -> String {
        var text = ""
        text.reserveCapacity(240)
        switch random.unit() {
        case ..<0.20:
            text += random.pick(openers)
        case ..<0.45:
            text += random.pick(reasons)
        case ..<0.65:
            text += random.pick(openers)
            text += " "
            text += random.pick(reasons)
        case ..<0.80:
            text += random.pick(reasons)
            text += " "
            text += random.pick(closers)
        case ..<0.90:
            text += random.pick(openers)
            text += "\n"
            text += random.pick(reasons)
        case ..<0.96:
            text += random.pick(paragraphs)
            text += "\n\n"
            text += random.pick(closers)
        default:
            text += random.pick(openers)
            text += " "
            text += random.pick(reasons)
            text += "\n\n"
            text += random.pick(paragraphs)
            text += "\n\n"
            text += random.pick(closers)
        }
        return text
    }
}
