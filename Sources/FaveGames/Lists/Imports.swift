public import Foundation

/// A row of a file with games from elsewhere, as it is in the file.
public struct ImportedRow: Hashable, Sendable {
    /// The most rows of a file.
    public static let limit = 10_000
    /// The most bytes of a file, and the most characters that a page lets people paste instead.
    public static let fileLimit = 5_000_000
    public static let pasteLimit = 50_000
    /// The most characters of a name and of other texts that are stored.
    public static let textLimit = 200

    /// The row's first line in the file.
    public var line: Int
    public var name = ""
    /// A number of the game, if the file contains it.
    public var gameID: Int?
    /// Whether the file proves that the number is IGDB's. If not, it may be that of another site.
    public var isIGDBsID = false
    /// The platforms as the file names them, and the known ones among them.
    public var platforms = ""
    public var platformIDs: [Int] = []
    public var releaseYear: Int?
    /// The rating as it is in the file.
    public var score = ""
    /// The rating on our scale.
    public var rating: Rating?
    public var comment = Comment.empty
    public var tags = Tags.none
    public var shelf = ""
    public var date = ""
    /// The problem with the row that is already known, if any.
    public var finding: ImportFinding?

    public init(line: Int) { self.line = line }
}

/// The outcome of the search for the game of a row.
public enum ImportFinding: String, CaseIterable, Sendable {
    case found
    case severalGames = "several_games"
    case unknownPlatform = "unknown_platform"
    case notOnPlatform = "not_on_platform"
    case duplicate
    case noGame = "no_game"
    case noName = "no_name"
    case malformed

    /// Whether the row can be picked.
    public var isSuggested: Bool {
        switch self {
        case .found, .severalGames, .unknownPlatform, .notOnPlatform: true
        case .duplicate, .noGame, .noName, .malformed: false
        }
    }
}

/// A file with games from elsewhere, whose rows wait to be picked.
public struct GameImport: Sendable {
    public enum State: String, CaseIterable, Sendable {
        case running, done, failed
    }

    /// How many days an import is stored.
    public static let days = 30

    public let id: UUID
    public let fileName: String
    public let state: State
    public let rowCount: Int
    /// The number of rows that were looked up, and how many of them can be picked.
    public let doneCount: Int
    public let suggestedCount: Int
    public let madeAt: Date

    public init(
        id: UUID, fileName: String, state: State, rowCount: Int, doneCount: Int,
        suggestedCount: Int, madeAt: Date
    ) {
        self.id = id
        self.fileName = fileName
        self.state = state
        self.rowCount = rowCount
        self.doneCount = doneCount
        self.suggestedCount = suggestedCount
        self.madeAt = madeAt
    }

    public var expiresAt: Date { madeAt.addingTimeInterval(Double(Self.days) * 86_400) }
    public var leftOutCount: Int { doneCount - suggestedCount }
}

/// A row of an import, with the game that was found for it.
public struct ImportRow: Sendable {
    /// In the import, from 1.
    public let place: Int
    public let line: Int
    public let name: String
    public let platforms: String
    public let releaseYear: Int?
    public let score: String
    public let rating: Rating?
    public let comment: String
    public let tags: String
    public let shelf: String
    public let date: String
    public let finding: ImportFinding
    /// How many games suit as well as `game`, which is one of them.
    public let candidates: Int
    public let game: Game?
    public let platform: Platform?

    public init(
        place: Int, line: Int, name: String, platforms: String, releaseYear: Int?, score: String,
        rating: Rating?, comment: String, tags: String, shelf: String, date: String,
        finding: ImportFinding, candidates: Int, game: Game?, platform: Platform?
    ) {
        self.place = place
        self.line = line
        self.name = name
        self.platforms = platforms
        self.releaseYear = releaseYear
        self.score = score
        self.rating = rating
        self.comment = comment
        self.tags = tags
        self.shelf = shelf
        self.date = date
        self.finding = finding
        self.candidates = candidates
        self.game = game
        self.platform = platform
    }
}

/// The row that a page of an import comes after or before.
public struct ImportCursor: Hashable, Sendable {
    public let direction: PageDirection
    public let place: Int

    public init(_ direction: PageDirection = .after, place: Int) {
        self.direction = direction
        self.place = place
    }
}

/// A page of an import.
public struct ImportRows: Sendable {
    public let rows: [ImportRow]
    public let next: ImportCursor?
    public let previous: ImportCursor?

    public init(rows: [ImportRow], next: ImportCursor?, previous: ImportCursor?) {
        self.rows = rows
        self.next = next
        self.previous = previous
    }
}

/// An import of the user is still running.
public struct ImportRunningError: Error, Hashable, Sendable {
    public init() {}
}
