import FaveGames

/// The poster of covers alone. Only a tile tells whose they are.
extension Composer {
    private static let edge = 24.0
    private static let gap = 12.0

    /// Covers fill a grid of three by three, in which number one has four cells, and the tile what
    /// remains.
    mutating func composePoster() throws(CardError) {
        let (covers, tile) = posterPlaces
        for (index, box) in covers.enumerated() { try addCover(index, in: box, radius: 12) }
        composition.plates.append((tile, 12, scheme.band))
        try addSignature(in: tile)
    }

    private var posterPlaces: (covers: [Box], tile: Box) {
        let whole = composition.size.inset(by: Self.edge)
        let cell = (
            width: (whole.width - 2 * Self.gap) / 3, height: (whole.height - 2 * Self.gap) / 3
        )
        func cells(_ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>) -> Box {
            Box(
                x: whole.x + Double(columns.lowerBound) * (cell.width + Self.gap),
                y: whole.y + Double(rows.lowerBound) * (cell.height + Self.gap),
                width: Double(columns.count) * (cell.width + Self.gap) - Self.gap,
                height: Double(rows.count) * (cell.height + Self.gap) - Self.gap)
        }
        let others = [
            cells(2...2, 0...0), cells(2...2, 1...1), cells(0...0, 2...2), cells(1...1, 2...2),
        ]
        switch card.entries.count {
        case 1:
            // Nearly a cover's shape.
            var (cover, tile) = (whole, whole)
            tile.height = 224
            cover.height -= tile.height + Self.gap
            tile.y = cover.maxY + Self.gap
            return ([cover], tile)
        case 2:
            var (left, tile) = (whole, whole)
            left.width = (whole.width - Self.gap) / 2
            left.height = left.width * 1.41
            var right = left
            right.x = left.maxX + Self.gap
            tile.y = left.maxY + Self.gap
            tile.height = whole.maxY - tile.y
            return ([left, right], tile)
        case let count:
            return (
                [cells(0...1, 0...1)] + others.prefix(count - 1), cells(count - 3...2, 2...2)
            )
        }
    }

    /// Places who picked the games, and the address.
    private mutating func addSignature(in tile: Box) throws(CardError) {
        let isLow = tile.height < 300
        let room = tile.inset(by: 28)
        // It may be broken after the host.
        let spoken = card.address.replacing("/", with: "/\u{200B}")
        let address = try fit(
            spoken, [38, 34, 31, 28], .bold, lines: isLow ? 1 : 3, width: room.width, height: 120)
        add(
            .address, address, x: room.x, y: room.maxY - address.size.height, width: room.width,
            over: scheme.band)
        if isLow {
            _ = try addPerson(x: room.x, y: room.y, width: room.width)
        } else {
            _ = try addPersonInColumn(
                x: room.x, y: room.y, width: room.width, picture: 96,
                height: room.height - address.size.height - 20)
        }
    }
}
