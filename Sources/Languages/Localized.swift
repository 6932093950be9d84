/// Something that each language writes in its own way.
package protocol Localized {
    func string(in language: Language) -> String
}
