import FaveGames

// The rules for what people type, as pages and the API state them.

extension Username {
    static let rule = "Use \(form)"
}

extension DisplayName {
    static let rule = "Use 1–\(limit) characters, at least one of them visible."
}

extension Bio {
    static let rule = "Use at most \(limit) characters."
}
