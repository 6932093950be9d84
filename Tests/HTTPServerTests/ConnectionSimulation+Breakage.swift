@testable import HTTPServer

extension ConnectionSimulation {
    /// A fault of the state, as the connection would see it.
    enum Breakage: CaseIterable {
        case omitsContinue, omitsBodies, omitsCancelling, omitsEnd, omitsWaits, omitsClosing
        case omitsResuming
        case parsesAlways, persistsAlways, forgetsRest, forgetsBody, forgetsTask, losesTurn
        case ignoresEnd, ignoresDrain, renewsWaits

        var omittedAction: ConnectionState.Actions? {
            switch self {
            case .omitsContinue: .sendContinue
            case .omitsBodies: .countBody
            case .omitsCancelling: .cancelTask
            case .omitsEnd: .finishWriting
            case .omitsWaits: .noteWait
            case .omitsClosing: .close
            case .omitsResuming: .resumeReading
            default: nil
            }
        }
    }
}
