/// Reasons to love a game, put together from sentences that fit any game.
struct DemoComments: Sendable {
    private let words = DemoWords.all

    /// A comment by someone: empty in a quarter of all cases, often one of `own`, which are in the
    /// person's language, otherwise in English. At most 1,000 characters.
    func comment(or own: [String], using random: inout SeededGenerator) -> String {
        if random.chance(0.25) {
            return ""
        }
        if !own.isEmpty, random.chance(0.5) {
            let first = random.pick(own)
            let second = random.pick(own)
            return first == second || random.chance(0.65) ? first : first + "\n" + second
        }
        return english(using: &random)
    }

    private func english(using random: inout SeededGenerator) -> String {
        let (opener, reason, closer, paragraph) =
            (words.openers, words.reasons, words.closers, words.paragraphs)
        func text(_ parts: [String]..., by separator: String = " ") -> String {
            parts.map { random.pick($0) }.joined(separator: separator)
        }
        return switch random.unit() {
        case ..<0.20: text(opener)
        case ..<0.45: text(reason)
        case ..<0.65: text(opener, reason)
        case ..<0.80: text(reason, closer)
        case ..<0.90: text(opener, reason, by: "\n")
        case ..<0.96: text(paragraph, closer, by: "\n\n")
        default: text(opener, reason) + "\n\n" + text(paragraph, closer, by: "\n\n")
        }
    }
}
