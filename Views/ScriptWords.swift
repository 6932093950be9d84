import FaveGames
import JSON
import Languages

/// The words of the scripts in `assets`. These contain them in English, and a page in another language has
/// its own words for them.
package enum ScriptWords {
    /// Those of the scripts that each page has.
    package static let ofEachPage: [Words] =
        GameKind.allCases.compactMap(\.label) + [
            .scriptGames, .scriptNoGames, .scriptFound("{count}"), .scriptCopied,
            .scriptNotCopied, .scriptShare, .scriptCopyLink, .scriptCopy,
        ]

    /// Those of the scripts that some pages have besides.
    package static let ofSomePages: [Words] = [
        .scriptMoved("{game}", "{place}", "{count}"), .scriptRemoved("{game}"),
        .scriptBack("{game}"), .scriptAdded("{game}", "{place}"),
        .scriptAddedGuess("{game}", "{place}", "{platform}"),
        .scriptAddedOn("{game}", "{place}", "{platform}"), .scriptPicked("{games}"), .scriptAdd,
        .scriptDiscard, .scriptAddedGames("{games}"), .scriptTryAgain, .scriptCancelled,
        .scriptHasPasskey, .scriptNoPasskey, .scriptNoPasskeys, .scriptDone,
    ]

    private static let texts = Dictionary(
        uniqueKeysWithValues: Language.allCases.map { language in
            (language, [ofEachPage, ofEachPage + ofSomePages].map { text(of: $0, in: language) })
        })

    /// - Returns: `nil` in English, which the scripts contain.
    static func text(in language: Language, ofAll: Bool) -> JSONText? {
        language == .en ? nil : texts[language]?[ofAll ? 1 : 0]
    }

    private static func text(of words: [Words], in language: Language) -> JSONText {
        let members =
            words.map { ($0.string(in: .en), JSONValue.string($0.string(in: language))) }
            + [(", ", .string(language.separator(isLast: false)))]
        let object = JSONValue.object(Dictionary(members, uniquingKeysWith: { first, _ in first }))
        return JSONText(Array(object.indented().utf8))
    }
}
