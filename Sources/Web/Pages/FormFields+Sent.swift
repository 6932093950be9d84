import Endpoints
import FaveGames
import HTTP
import Identity
import Languages
import Views

extension RequestContext {
    /// The fields of a form that the page shows: what was typed, if the form was rejected.
    ///
    /// - Parameters:
    ///   - paths: Where the form's buttons send it to.
    ///   - values: The values of all fields that people see, until they have typed others.
    func fields(of paths: String..., showing values: [String: String]) -> FormFields {
        fields(of: paths, showing: values)
    }

    func fields(of paths: [String], showing values: [String: String]) -> FormFields {
        guard let sent, let problem = sent.problem, paths.contains(sent.path) else {
            return FormFields(values.mapValues { FormField($0) })
        }
        let errors = Dictionary(
            problem.faults.map { ($0.name, $0.sentence) }, uniquingKeysWith: { first, _ in first })
        let first = problem.faults.first { values[$0.name] != nil }?.name
        var fields: [String: FormField] = [:]
        for name in values.keys {
            fields[name] = FormField(
                sent.items.values(name), error: errors[name], hasFocus: name == first)
        }
        return FormFields(fields, problem: problem.text(besides: values), isRejected: true)
    }

    /// The message for the top of the page; `nil` if fields of these forms say what is wrong.
    func problem(besides forms: FormFields...) -> Words? { problem(besides: forms) }

    func problem(besides forms: [FormFields]) -> Words? {
        if let form = forms.first(where: \.isRejected) { return form.problem }
        return sent?.problem?.text(besides: [:])
    }
}

extension Problem {
    /// - Parameter field: The field of a form that it is about.
    init(_ kind: ProblemKind, _ detail: Words, at field: String) {
        self.init(kind, detail)
        errors = [MemberError(pointer: "/\(field)", .refused, detail: detail)]
    }

    /// Says which field of a form an error is about, if it is about one.
    mutating func locate(_ error: any Error, in form: FormItems) {
        let names: [String] =
            switch error {
            case is NewPassword.Weakness: ["newPassword", "password"]
            case AccountError.wrongPassword: ["currentPassword", "password"]
            case AccountError.usernameTaken, AccountError.usernameReserved: ["username"]
            case CircleError.webhookNotAllowed: ["address"]
            case let error as RefusedText:
                form.names.filter { RefusedWords([error.item]).first(in: form[$0] ?? "") != nil }
            default: []
            }
        errors = errors.map(\.forPeople)
        guard errors.isEmpty else { return }
        let name = names.first { form[$0] != nil }
        errors = (name.map { [$0] } ?? names).map {
            MemberError(pointer: "/\($0)", .refused, detail: detail)
        }
    }
}

extension MemberError {
    /// The error as people read it: in the language of their page.
    fileprivate var forPeople: MemberError {
        let others: Words =
            switch kind {
            case .missing, .tooShort: .isMissing
            case .notChosen: .chooseOne
            default: .notPossible
            }
        return MemberError(pointer: pointer, kind, detail: detail.orElsewhere(others))
    }
}
