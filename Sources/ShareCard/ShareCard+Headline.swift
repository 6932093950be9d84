// What a link leads to, in a headline above five places, in the format of link previews.
extension ShareCard {
    func drawHeadline(on canvas: Canvas) throws(CardError) {
        let body = Self.body
        let brand = try drawBrand(until: body.maxX, y: 44, on: canvas)
        let eyebrow = try TextBlock(
            eyebrow, Font(size: 28, weight: .medium), width: brand - 40 - body.x, on: canvas)
        eyebrow.draw(x: body.x, y: 44, Palette.soft)
        let row = Box(x: body.x, y: body.maxY - 232, width: body.width, height: 232)
        try drawPlaces(in: row, on: canvas)
        try drawWideFoot(on: canvas)

        // The name and the text together are in the middle between the eyebrow and the places.
        let room = Box(x: body.x, y: 88, width: body.width, height: row.y - 24 - 88)
        var nameRoom = room
        nameRoom.height = text.isEmpty ? room.height : room.height - 54
        let name = try TextBlock.largest(
            [84, 72, 62, 52, 44], name, weight: .extraBold, lines: 2, in: nameRoom, on: canvas)
        nameRoom.height = min(name.size.height, nameRoom.height)
        let gap = 12.0
        var textRoom = room
        textRoom.height -= nameRoom.height + gap
        let text = try TextBlock.largest(
            [34, 30, 27], text, isSerif: true, lines: 3, in: textRoom, on: canvas)
        let fits = !self.text.isEmpty && text.size.height <= textRoom.height
        nameRoom.y = room.middle - (nameRoom.height + (fits ? gap + text.size.height : 0)) / 2
        try Self.draw(name, in: nameRoom, on: canvas)
        if fits { text.draw(x: room.x, y: nameRoom.maxY + gap, Palette.ink) }
    }
}
