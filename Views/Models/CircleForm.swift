import FaveGames

/// The form for a circle's name, description and visibility, with what was typed and what is wrong
/// with it.
package struct CircleForm: Sendable {
    package var name = FormField()
    package var description = FormField()
    package var visibility: CircleVisibility? = .members
    package var visibilityError: String?

    package init() {}

    package init(_ circle: Circle) {
        name = FormField(circle.name)
        description = FormField(circle.description)
        visibility = circle.visibility
    }

    package var anyError: String? { name.error ?? description.error ?? visibilityError }
}
