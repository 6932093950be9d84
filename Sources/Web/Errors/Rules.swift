import FaveGames

// What must be true of what people type, as pages and API tell them.

extension Username {
    static let rule = "A username has 2 to 30 of the letters a–z, digits, _ and -."
}

extension DisplayName {
    static let rule = "A name has 1 to \(limit) characters, and something to see."
}

extension Bio {
    static let rule = "This text has at most \(limit) characters."
}
