/// Something that is stored about people: the first words of a sentence, and its rest.
package struct StoredItem: Sendable {
    let lead: String
    let text: String

    package init(lead: String, text: String) {
        self.lead = lead
        self.text = text
    }
}
