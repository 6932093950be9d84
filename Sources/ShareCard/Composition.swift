import FaveGames

/// Where everything on a tall card is. Only the thread of its canvas may use it.
struct Composition {
    /// What words are for.
    enum Role {
        /// What the picture is, and who picked the games.
        case eyebrow, name
        case rank, title, note, why
        /// The title of an entry below number one.
        case otherTitle
        case invitation, address, brand
    }

    struct Cover {
        let entry: ShareCard.Entry
        let box: Box
        let radius: Double
    }

    struct Words {
        let role: Role
        let text: TextBlock
        /// What is outside isn't drawn.
        let box: Box
        let color: Color
        /// What is behind them.
        let ground: Color
    }

    let size: Box
    let scheme: Scheme
    var covers: [Cover] = []
    var words: [Words] = []
    /// Of one colour, behind words.
    var plates: [(box: Box, radius: Double, color: Color)] = []
    /// Dashed outlines where covers could be.
    var places: [Box] = []
    var avatar: Box?
    var heart: Box?

    func draw(_ card: ShareCard, on canvas: Canvas) throws(CardError) {
        canvas.fill(size, .gradient(scheme.ground.top, scheme.ground.bottom, angle: 180))
        for cover in covers {
            try ShareCard.drawCover(
                of: cover.entry, in: cover.box, radius: cover.radius, on: canvas)
        }
        for plate in plates { canvas.fill(plate.box, radius: plate.radius, .color(plate.color)) }
        for place in places {
            canvas.stroke(place, radius: 14, scheme.soft, width: 4, dashes: [12, 10])
        }
        if let avatar { try card.drawAvatar(in: avatar, on: canvas) }
        if let heart {
            ShareCard.drawHeart(in: heart, scheme.ink, shine: scheme.band, on: canvas)
        }
        for words in words {
            try ShareCard.draw(words.text, in: words.box, words.color, on: canvas)
        }
    }
}
