/// The forms with fields on the settings page.
package struct SettingsPageForms: Sendable {
    let profile: FormFields
    let username: FormFields
    let password: FormFields
    let codes: FormFields
    let mail: FormFields
    let connecting: FormFields
    let deletion: FormFields

    package init(
        profile: FormFields, username: FormFields, password: FormFields, codes: FormFields,
        mail: FormFields, connecting: FormFields, deletion: FormFields
    ) {
        self.profile = profile
        self.username = username
        self.password = password
        self.codes = codes
        self.mail = mail
        self.connecting = connecting
        self.deletion = deletion
    }

    package var all: [FormFields] {
        [profile, username, password, codes, mail, connecting, deletion]
    }
}
