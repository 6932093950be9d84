import FaveGames
import Languages
import Views

/// Composes a tall card, part by part. Only the thread of its canvas may use it.
///
/// Nothing on a tall card is smaller than `smallest`, because people look at it on phones, which are a
/// third as wide as the picture.
struct Composer {
    /// The smallest size of text.
    static let smallest = 28.0

    let card: ShareCard
    let canvas: Canvas
    let scheme: Scheme
    let width: Double
    let height: Double
    var composition: Composition

    init(_ card: ShareCard, on canvas: Canvas) {
        self.card = card
        self.canvas = canvas
        width = Double(card.format.width)
        height = Double(card.format.height)
        scheme = Scheme(card.theme, of: card.hue(on: canvas))
        composition = Composition(
            size: Box(x: 0, y: 0, width: width, height: height), scheme: scheme)
    }

    // MARK: Words

    mutating func add(
        _ role: Composition.Role, _ text: TextBlock, in box: Box, _ color: Color? = nil,
        over ground: Color? = nil
    ) {
        composition.words.append(
            Composition.Words(
                role: role, text: text, box: box, color: color ?? scheme.ink,
                ground: ground ?? scheme.ground.bottom))
    }

    /// Places text with its top at a point, and with all its height.
    mutating func add(
        _ role: Composition.Role, _ text: TextBlock, x: Double, y: Double, width: Double,
        _ color: Color? = nil, over ground: Color? = nil
    ) {
        add(
            role, text, in: Box(x: x, y: y, width: width, height: text.size.height), color,
            over: ground)
    }

    /// The text in the largest size of which the room has place for all of it, or else in the last.
    func fit(
        _ text: String, _ sizes: [Double], _ weight: Font.Weight, lines: Int = 1, width: Double,
        height: Double = .infinity
    ) throws(CardError) -> TextBlock {
        let room = Box(x: 0, y: 0, width: width, height: min(height, self.height))
        let block = try TextBlock.largest(
            sizes, text, weight: weight, lines: lines, in: room, on: canvas)
        return try block.balanced(within: width)
    }

    /// Why the game is loved, as a quote.
    func quote(
        _ sizes: [Double], width: Double, height: Double
    ) throws(CardError) -> TextBlock {
        let why = card.entries[0].why
        let room = Box(x: 0, y: 0, width: width, height: height)
        let block = try TextBlock.largest(
            sizes, why, isSerif: true, .natural, in: room, on: canvas)
        if block.isWhole, block.size.height <= height {
            return try block.balanced(within: width)
        }
        // The lines of some scripts are few words long, or high.
        let font = Font(
            size: sizes[sizes.count - 1], weight: .regular, isSerif: true, isTight: true)
        return try TextBlock.cut(why, font, .natural, in: room, on: canvas)
    }

    /// The platform, or the number of lists, and the year.
    func note(width: Double, size: Double) throws(CardError) -> TextBlock {
        let entry = card.entries[0]
        let parts = [entry.note, entry.year.map { String($0) } ?? ""].filter { !$0.isEmpty }
        return try TextBlock(
            parts.joined(separator: " · "), Font(size: size, weight: .medium), width: width,
            on: canvas)
    }

    // MARK: Parts

    /// Places who picked the games, with the words beside the picture.
    ///
    /// - Returns: Where this ends.
    mutating func addPerson(x: Double, y: Double, width: Double) throws(CardError) -> Double {
        let picture = Box(x: x, y: y, width: 96, height: 96)
        composition.avatar = picture
        let left = picture.maxX + 22
        let room = x + width - left
        let eyebrow = try fit(card.eyebrow, [30, 28], .medium, width: room)
        let name = try fit(
            card.name, [46, 42, 38, 34, 31, 28], .extraBold, lines: 2, width: room, height: 78)
        let total = eyebrow.size.height + name.size.height
        let top = picture.middle - total / 2
        add(.eyebrow, eyebrow, x: left, y: top, width: room, scheme.soft)
        add(.name, name, x: left, y: top + eyebrow.size.height, width: room)
        return picture.maxY
    }

    /// Places who picked the games, with the words below the picture.
    ///
    /// - Returns: Where this ends.
    mutating func addPersonInColumn(
        x: Double, y: Double, width: Double, picture side: Double, height: Double = .infinity
    ) throws(CardError) -> Double {
        let picture = Box(x: x, y: y, width: side, height: side)
        composition.avatar = picture
        let eyebrow = try fit(card.eyebrow, [32, 28], .medium, lines: 3, width: width)
        add(.eyebrow, eyebrow, x: x, y: picture.maxY + 22, width: width, scheme.soft)
        let name = try fit(
            card.name, (width > 600 ? [112, 96, 80] : []) + [64, 56, 50, 44, 39, 35, 31, 28],
            .extraBold, lines: 3, width: width,
            height: height - side - 24 - eyebrow.size.height)
        let top = picture.maxY + 22 + eyebrow.size.height + 2
        add(.name, name, x: x, y: top, width: width)
        return top + name.size.height
    }

    /// Places a cover, with its rank on it.
    mutating func addCover(_ index: Int, in box: Box, radius: Double) throws(CardError) {
        let entry = card.entries[index]
        composition.covers.append(Composition.Cover(entry: entry, box: box, radius: radius))
        guard card.format != .poster, card.entries.count > 1 else { return }
        let isFirst = entry.rank == card.entries[0].rank
        let side = index == 0 ? 92.0 : 54
        let inset = index == 0 ? 22.0 : 12
        let badge = Box(
            x: box.x + inset, y: box.maxY - inset - side, width: side, height: side)
        let color = isFirst ? Palette.goldLine : Palette.background
        composition.plates.append((badge, side / 2, color))
        let rank = try TextBlock(
            "\(entry.rank)", Font(size: index == 0 ? 56 : 32, weight: .extraBold), on: canvas)
        let size = rank.size
        add(
            .rank, rank,
            in: Box(
                x: badge.x + (side - size.width) / 2, y: badge.middle - size.height / 2,
                width: size.width, height: size.height),
            Palette.ink, over: color)
    }

    /// Places the address and the site's name on a band at the bottom.
    ///
    /// - Returns: Where the band begins.
    mutating func addBand(
        height bandHeight: Double, margin: Double, hasInvitation: Bool
    ) throws(CardError) -> Double {
        let band = Box(x: 0, y: height - bandHeight, width: width, height: bandHeight)
        composition.plates.append((band, 0, scheme.band))
        let room = width - 2 * margin
        let brand = try fit(card.brand, [34, 31, 28], .extraBold, width: room * 0.4)
        let heart = Box(x: 0, y: 0, width: 42, height: 36)
        let brandWidth = heart.width + 14 + brand.size.width
        let invitation =
            hasInvitation
            ? try TextBlock(
                Words.cardInvitation.string(in: card.language), Font(size: 38, weight: .extraBold),
                on: canvas)
            : nil
        // The address is below the question, or beside the site's name.
        let invitationHeight = invitation?.size.height ?? 0
        let addressWidth = room - (hasInvitation ? 0 : brandWidth + 40)
        let address = try fit(card.address, [36, 33, 30, 28], .bold, width: addressWidth)
        let top = band.middle - (invitationHeight + address.size.height) / 2
        if let invitation {
            add(.invitation, invitation, x: margin, y: top, width: room, over: scheme.band)
        }
        add(
            .address, address, x: margin, y: top + invitationHeight, width: addressWidth,
            over: scheme.band)
        let line = hasInvitation ? top + invitationHeight / 2 : band.middle
        add(
            .brand, brand, x: width - margin - brand.size.width, y: line - brand.size.height / 2,
            width: brand.size.width, over: scheme.band)
        composition.heart = Box(
            x: width - margin - brandWidth, y: line - heart.height / 2, width: heart.width,
            height: heart.height)
        return band.y
    }
}

extension ShareCard {
    /// Where everything on this tall card is.
    func composition(on canvas: Canvas) throws(CardError) -> Composition {
        var composer = Composer(self, on: canvas)
        switch format {
        case _ where entries.isEmpty: try composer.composeEmptyList()
        case .poster: try composer.composePoster()
        case .portrait where entries.count > 1: try composer.composePost()
        case .wide, .portrait, .story: try composer.composeStory()
        }
        return composer.composition
    }

    /// The colour that gives the card its hue: of number one's cover, or its placeholder's.
    fileprivate func hue(on canvas: Canvas) -> Color {
        guard let first = entries.first else { return Palette.hues[avatar?.hue ?? 0].0 }
        return canvas.cover(of: first)?.prevailingColor ?? Palette.hues[first.placeholder.hue].0
    }
}
