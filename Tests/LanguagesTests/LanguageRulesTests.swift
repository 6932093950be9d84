import Foundation
import HTTP
import Testing

@testable import Languages

@Suite("The rules of a language")
struct LanguageRulesTests {
    @Test("put a space between sentences, where the language has one")
    func sentences() {
        let words = Words.sentences([Words(name: "A."), Words(name: "B.")])
        #expect(words.string(in: .de) == "A. B." && words.string(in: .ko) == "A. B.")
        #expect(words.string(in: .ja) == "A.B." && words.string(in: .zhHans) == "A.B.")
    }

    @Test(
        "group the digits of a count",
        arguments: [
            (.en, "999", "1,000", "12,345", "1,234,567"),
            (.de, "999", "1.000", "12.345", "1.234.567"),
            (.es, "999", "1000", "12.345", "1.234.567"),
            (.fr, "999", "1\u{202F}000", "12\u{202F}345", "1\u{202F}234\u{202F}567"),
            (.ja, "999", "1,000", "12,345", "1,234,567"),
            (.ko, "999", "1,000", "12,345", "1,234,567"),
            (.ptBR, "999", "1.000", "12.345", "1.234.567"),
            (.ru, "999", "1\u{A0}000", "12\u{A0}345", "1\u{A0}234\u{A0}567"),
            (.zhHans, "999", "1,000", "12,345", "1,234,567"),
        ] as [(Language, String, String, String, String)])
    func numbers(
        language: Language, small: String, thousand: String, larger: String, million: String
    ) {
        for (number, text) in [
            (0, "0"), (1, "1"), (999, small), (1000, thousand), (12_345, larger),
            (1_234_567, million), (-5, "-5"),
        ] { #expect(number.grouped.string(in: language) == text) }
    }

    @Test(
        "write a day",
        arguments: [
            (.en, "29 February 2024", "29 Feb 2024", "29 Feb", "today"),
            (.de, "29. Februar 2024", "29. Feb. 2024", "29. Feb.", "heute"),
            (.es, "29 de febrero de 2024", "29 feb 2024", "29 feb", "hoy"),
            (.fr, "29 février 2024", "29 févr. 2024", "29 févr.", "aujourd’hui"),
            (.ja, "2024年2月29日", "2024年2月29日", "2月29日", "今日"),
            (.ko, "2024년 2월 29일", "2024년 2월 29일", "2월 29일", "오늘"),
            (.ptBR, "29 de fevereiro de 2024", "29 de fev. de 2024", "29 de fev.", "hoje"),
            (.ru, "29 февраля 2024\u{202F}г.", "29 февр. 2024\u{202F}г.", "29 февр.", "сегодня"),
            (.zhHans, "2024年2月29日", "2024年2月29日", "2月29日", "今天"),
            (.accented, "29 [Ƒéƀřúářý] 2024", "29 [Ƒéƀ] 2024", "29 [Ƒéƀ]", "[ťóďáý]"),
        ] as [(Language, String, String, String, String)])
    func days(
        language: Language, long: String, short: String, ofThisYear: String, today: String
    ) {
        let day = Date(timeIntervalSince1970: 1_709_210_096)
        #expect(day.rfc3339 == "2024-02-29T12:34:56Z")
        #expect(day.dayInWords.string(in: language) == long)
        for (now, text) in [
            (1_709_164_800, today), (1_709_251_199, today), (1_709_251_200, ofThisYear),
            (1_735_689_600, short),
        ] {
            let now = Date(timeIntervalSince1970: TimeInterval(now))
            #expect(day.shortDay(seenAt: now).string(in: language) == text)
        }
    }

    @Test("write the days around a new year and before 1970")
    func borders() {
        for (time, text) in [
            (1_704_067_199, "31 December 2023"), (1_704_067_200, "1 January 2024"),
            (0, "1 January 1970"), (-1, "1 January 1970"),
        ] {
            let day = Date(timeIntervalSince1970: TimeInterval(time)).dayInWords
            #expect(day.string(in: .en) == text)
        }
    }

    @Test(
        "join names",
        arguments: [
            (.en, "A, B, C", "A, B and C"), (.de, "A, B, C", "A, B und C"),
            (.es, "A, B, C", "A, B y C"), (.fr, "A, B, C", "A, B et C"),
            (.ja, "A、B、C", "A、B、C"), (.ko, "A, B, C", "A, B 및 C"),
            (.ptBR, "A, B, C", "A, B e C"), (.ru, "A, B, C", "A, B и C"),
            (.zhHans, "A、B、C", "A、B和C"), (.accented, "A, B, C", "A, B [áñď] C"),
        ] as [(Language, String, String)])
    func lists(language: Language, plain: String, sentence: String) {
        let names = ["A", "B", "C"]
        #expect(names.listed.string(in: language) == plain)
        #expect(Words.list(names.map(Words.init(name:))).string(in: language) == plain)
        #expect(names.joined(in: language) == sentence)
    }
}

extension [String] {
    /// As a sentence lists them.
    func joined(in language: Language) -> String {
        enumerated().map { index, name in
            (index > 0 ? language.separator(isLast: index == count - 1) : "") + name
        }.joined()
    }
}
