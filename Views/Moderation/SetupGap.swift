import FaveGames
import Foundation
import Languages

/// Something that a site should have, and what its operator does about it.
package enum SetupGap: CaseIterable, Sendable {
    case platforms, backup, rules, imprint, contact, mail

    var name: Words {
        switch self {
        case .platforms: .gapPlatforms
        case .backup: .gapBackup
        case .rules: .gapRules
        case .imprint: .gapImprint
        case .contact: .gapContact
        case .mail: .gapMail
        }
    }

    /// A sentence.
    var why: Words {
        switch self {
        case .platforms: .whyPlatforms
        case .backup: .whyBackup
        case .rules: .whyRules
        case .imprint: .whyImprint
        case .contact: .whyContact
        case .mail: .whyMail
        }
    }

    /// The setting that fills the gap, if one does.
    package var setting: String? {
        switch self {
        case .platforms, .backup: nil
        case .rules: "RULES_FILE"
        case .imprint: "IMPRINT_FILE"
        case .contact: "CONTACT"
        case .mail: "SMTP_URL"
        }
    }

    /// The setting, or the command.
    var remedy: String {
        switch self {
        case .platforms: "fave-admin seed-platforms"
        case .backup: "systemctl enable --now fave-games-backup.timer"
        case .rules, .imprint, .contact, .mail: setting ?? ""
        }
    }
}
