/// The games that demo lists are made from.
package enum DemoCatalogue {
    package struct Game: Sendable {
        let id: Int
        let name: String
        let year: Int?
        let platforms: [Int]

        package init(id: Int, name: String, year: Int?, platforms: [Int]) {
            self.id = id
            self.name = name
            self.year = year
            self.platforms = platforms
        }
    }

    /// Games that many people love, the most loved first. Demo lists favour them, so that rankings
    /// look as people expect.
    static let wellKnown = [
        1020, 7346, 119133, 1942, 25076, 17000, 1877, 14593, 113112, 26226, 119171, 72, 472, 427,
        26758, 119388, 7334, 19560, 114283, 1074, 1029, 26764, 90101, 109462, 1802, 375, 1009,
        6036, 26192, 7331, 19565, 11156, 74, 233, 2155, 11133, 76882, 11169, 11208, 987, 740, 732,
        121, 12517, 9061, 251833, 305152, 115289, 1070, 1026, 1103, 481, 2899, 1033, 379, 418,
        1128, 891, 123, 16, 59, 71, 104967, 135243, 303811, 1077, 1627, 1105, 8197, 3192, 2342,
        1626, 358, 1068, 1561, 1517, 1519, 62, 181, 193, 41, 230, 126,
    ]

    /// How much people love each platform, apart from how many games it has.
    static let favoured: [Int: Double] = [
        48: 19,  // PlayStation 4
        130: 18,  // Nintendo Switch
        6: 17,  // PC
        49: 11,  // Xbox One
        167: 8,  // PlayStation 5
        169: 4,  // Xbox Series X|S
        508: 3,  // Nintendo Switch 2
    ]
}
