/// The messages of all templates and files of words. Catalogues are made from it (gettext manual,
/// section 10.1: a PO template).
struct MessageTemplate {
    private struct Key: Hashable {
        let context: String
        let id: String
    }

    private struct Entry {
        let message: Message
        var files: [String]
    }

    private var order: [Key] = []
    private var entries: [Key: Entry] = [:]

    /// - Parameter file: The path of the file that they are from.
    mutating func add(_ messages: [Message], of file: String) {
        for message in messages {
            let key = Key(context: message.context, id: message.id)
            guard let entry = entries[key] else {
                order.append(key)
                entries[key] = Entry(message: message, files: [file])
                continue
            }
            if !entry.files.contains(file) { entries[key]?.files.append(file) }
        }
    }

    var text: String {
        let header = """
            msgid ""
            msgstr ""
            "Content-Type: text/plain; charset=UTF-8\\n"
            "Content-Transfer-Encoding: 8bit\\n"

            """
        return header + order.compactMap { entries[$0] }.map(text).joined()
    }

    private func text(_ entry: Entry) -> String {
        let message = entry.message
        var lines = ["", "#: " + entry.files.joined(separator: " ")]
        lines.append("msgctxt \(Catalogue.quoted(message.context))")
        lines.append("msgid \(Catalogue.quoted(message.id))")
        if let pluralID = message.pluralID {
            lines.append("msgid_plural \(Catalogue.quoted(pluralID))")
            lines += ["msgstr[0] \"\"", "msgstr[1] \"\""]
        } else {
            lines.append("msgstr \"\"")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
