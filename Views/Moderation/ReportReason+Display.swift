import FaveGames
import Languages

extension ReportReason {
    /// The reason in a few words.
    var words: Words {
        switch self {
        case .spam: .spam
        case .abuse: .abuse
        case .sexual: .sexualContent
        case .privacy: .privateDetails
        case .illegal: .illegal
        case .other: .somethingElse
        }
    }
}
