import Endpoints
import FaveGames
import Identity
import Languages
import Views

// The member types that bodies of several routes have in common, and their rules.

extension BodyMember where Value == Int {
    static var gameID: Self { .integer(.igdbGame, in: GameID.range) }
    static var platformID: Self { .integer(.igdbPlatform, in: GameID.range) }
    static var position: Self { .integer(.position, in: 1...FaveList.limit) }
}

extension BodyMember where Value == Rating {
    static var rating: Self {
        var schema = Schema.rating
        schema.name = nil
        schema.keywords["description"] = nil
        let number = BodyMember<Int>.integer(schema, in: Rating.range)
        return .checked(number) { number throws(MemberFault) in
            guard let rating = Rating(number) else {
                throw MemberFault(.outOfRange, detail: .english("This is no rating."))
            }
            return rating
        }
    }
}

extension BodyMember where Value == Comment {
    static var comment: Self {
        .parsed(.comment, .mustHaveAtMost(Comment.limit)) { try? Comment($0) }
    }
}

extension BodyMember where Value == Tags {
    static var tags: Self {
        .checked(.texts(.newTags, atMost: Tags.limit)) { texts throws(MemberFault) in
            do throws(Tags.Fault) {
                return try Tags(texts)
            } catch {
                switch error {
                case .tooMany: throw MemberFault(.tooMany, detail: error.words)
                case .notATag(let text):
                    let tag = text.hasPrefix("#") ? String(text.dropFirst()) : text
                    throw MemberFault(
                        FaultKind(of: tag, .text(0...Tag.limit, example: "")),
                        at: texts.firstIndex(of: text), detail: error.words)
                }
            }
        }
    }
}

extension BodyMember where Value == Username {
    static var username: Self { .parsed(.newUsername, .usernameForm) { Username($0) } }
}

extension BodyMember where Value == DisplayName {
    static var displayName: Self { .parsed(.displayName, .displayNameForm) { DisplayName($0) } }
}

extension BodyMember where Value == Bio {
    static var bio: Self { .parsed(.bio, .bioForm) { Bio($0) } }
}

extension BodyMember where Value == Visibility {
    static var visibility: Self { .choice }
}

extension BodyMember where Value == String {
    /// A password to be set. Its rules are checked when it is set.
    static var newPassword: Self { .text(.newPassword) }
}

extension NewPassword {
    /// How the API describes a password to be set.
    static let description =
        "\(lengths.lowerBound)–\(lengths.upperBound) characters, and hard to guess."
}
