import CSV
import FaveGames
import Identity
import Imports
import Languages
import Testing
import WebAuthn

@testable import Endpoints
@testable import Web

@Suite("What an error is called")
struct WordsOfErrorsTests {
    private func expectSentence(_ words: Words) {
        let text = words.string(in: .en)
        #expect(text.hasSuffix(".") && text.first?.isUppercase == true, "\(text)")
    }

    @Test("is a sentence for each error of a passkey", arguments: WebAuthnError.allCases)
    func passkeys(error: WebAuthnError) {
        expectSentence(error.words)
        expectSentence(AccountError.passkeyRefused(error).words)
    }

    @Test("helps with a password that will not do")
    func passwords() {
        #expect(NewPassword.Weakness.tooShort.words.string(in: .en).contains("8"))
        #expect(NewPassword.Weakness.tooLong.words.string(in: .en).contains("128"))
        expectSentence(NewPassword.Weakness.sameAsUsername.words)
        expectSentence(NewPassword.Weakness.common.words)
    }

    @Test("names the line of a file, and the columns that it has")
    func files() {
        let error = CSVError(line: 3, .tooManyRecords(limit: 10))
        #expect(error.words.string(in: .en).hasPrefix("Line 3: there are more than 10 rows."))
        let headings = (1...20).map { "<\($0)>\n" }
        let text = ImportFault.noNameColumn(headings: headings).words.string(in: .en)
        #expect(text.contains("“<1>”, “<2>”") && text.hasSuffix("and others."))
    }

    @Test("says when to try again after too many attempts")
    func attempts() {
        #expect(Words.tooManyAttempts(retryAfter: 1).string(in: .en).hasSuffix("in a second."))
        #expect(Words.tooManyAttempts(retryAfter: 30).string(in: .en).hasSuffix("in 30 seconds."))
        #expect(
            Words.tooManyAttempts(retryAfterMinutes: 2).string(in: .en).hasSuffix("in 2 minutes."))
    }

    @Test("is more general in another language where it is for programs")
    func programs() {
        let problem = Problem.notFound(.english("There is no such thing."))
        #expect(problem.words.string(in: .en) == "There is no such thing.")
        #expect(problem.words.string(in: .accented) != problem.words.string(in: .en))
        let words = Problem.notFound(.noSuchGame)
        #expect(words.words.string(in: .accented) == words.detail.string(in: .accented))
    }

    @Test("has words for each field that people write in")
    func fields() {
        for route in Routes.all where route.kind == .page {
            for field in route.inputs.compactMap(\.body).flatMap(\.fields) where field.isWritten {
                #expect(UnsentForm.label(field.name) != .english(field.name), "\(field.name)")
            }
        }
    }
}
