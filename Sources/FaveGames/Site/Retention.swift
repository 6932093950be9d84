/// How long some data is stored.
package enum Retention {
    package static let retiredIdentityDays = 90
    /// The database's function `is_username_reserved` says the same.
    package static let usernameDays = Username.daysHeld
    package static let searchDays = 30
    package static let idempotencyRecordDays = 1
    package static let draftDays = 1
    package static let deviceDays = 400
    package static let expiredTokenDays = 30
    package static let caseDays = 180
    package static let reporterDays = 7
    package static let webhookDays = 4
}
