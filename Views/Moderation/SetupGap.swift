import FaveGames
import Foundation

/// Something that a site should have, and what its operator does about it.
package enum SetupGap: CaseIterable, Sendable {
    case platforms, backup, rules, imprint, contact, mail

    var name: String {
        switch self {
        case .platforms: "Platforms"
        case .backup: "A backup"
        case .rules: "Rules"
        case .imprint: "An imprint"
        case .contact: "A way to reach you"
        case .mail: "Email"
        }
    }

    /// A sentence.
    var why: String {
        switch self {
        case .platforms: "Without them, no game can be picked."
        case .backup: "None was made in the last day and a half."
        case .rules: "They say what is welcome here. Moderators refer to them."
        case .imprint: "It says who runs the site. Some countries require it."
        case .contact: "People may need to ask you something."
        case .mail: "Without it, no one can set a forgotten password by themselves."
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
