import FaveGames

extension CoverPicture {
    /// The colour that a cover is remembered by: that of the hue with the most colour in it, or a grey
    /// if there is hardly any.
    var prevailingColor: Color {
        // Colourful pixels count by how colourful they are, in sectors of the colour wheel.
        var sectors = [Sums](repeating: Sums(), count: Self.sectorCount)
        var all = Sums()
        eachSample { red, green, blue in
            let (most, least) = (max(red, green, blue), min(red, green, blue))
            all.add(red, green, blue, weight: 1)
            let chroma = most - least
            guard chroma > 0 else { return }
            // A sixth of the wheel for each pair of the largest and the middle part.
            let sixth =
                if most == red {
                    Double(green - blue) / Double(chroma)
                } else if most == green {
                    Double(blue - red) / Double(chroma) + 2
                } else {
                    Double(red - green) / Double(chroma) + 4
                }
            let place = (sixth < 0 ? sixth + 6 : sixth) / 6 * Double(Self.sectorCount)
            sectors[min(Int(place), Self.sectorCount - 1)].add(red, green, blue, weight: chroma)
        }
        // Two neighbours count as one, because a colour may lie where they meet.
        let pairs = sectors.indices.map { index in
            sectors[index] + sectors[(index + 1) % Self.sectorCount]
        }
        guard let best = pairs.max(by: { $0.weight < $1.weight }),
            best.weight >= all.weight * Self.leastChroma
        else { return all.color }
        return best.color
    }

    private static let sectorCount = 24

    /// How colourful a pixel must be on average, of 255, for the cover to have a hue.
    private static let leastChroma = 6

    private struct Sums {
        var weight = 0
        private var (red, green, blue) = (0, 0, 0)

        mutating func add(_ red: Int, _ green: Int, _ blue: Int, weight: Int) {
            self.weight += weight
            self.red += red * weight
            self.green += green * weight
            self.blue += blue * weight
        }

        static func + (one: Sums, other: Sums) -> Sums {
            var sums = one
            sums.weight += other.weight
            sums.red += other.red
            sums.green += other.green
            sums.blue += other.blue
            return sums
        }

        /// The mean of what was added.
        var color: Color {
            let mean = [red, green, blue].map { $0 / max(weight, 1) }
            return Color(mean[0] << 16 | mean[1] << 8 | mean[2])
        }
    }
}
