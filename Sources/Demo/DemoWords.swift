/// Words for tags, and for names that people use instead of their own.
enum DemoWords {
    static let tags = [
        "story", "soundtrack", "cosy", "couch co-op", "childhood", "hard but fair", "open world",
        "puzzle", "pixel art", "replayed", "speedrun", "one more turn", "made me cry",
        "with friends",
        "atmosphere", "rainy days",
    ]

    static let adjectives = words(
        """
        quiet brave sleepy tiny cosmic lucky rusty velvet neon pixel turbo amber salty frosty \
        golden silver hollow wandering lazy electric paper cardboard midnight sunday analog retro \
        clumsy gentle stormy crimson cobalt mossy foggy hungry patient stubborn swift curious \
        dusty lunar solar feral polite grumpy jolly nimble woolly spicy caffeinated northern \
        second spare plain odd secret humble rapid distant wooden copper
        """)

    static let nouns = words(
        """
        otter fox heron badger moth lynx raven koala walrus gecko panda tiger turtle magpie \
        hedgehog falcon ferret possum yak wombat llama newt beetle sparrow robot wizard goblin \
        knight ranger pirate baker drummer comet lantern teapot waffle noodle pickle dumpling \
        biscuit cactus acorn pebble river marsh harbor valley thunder ember echo orbit joystick \
        cartridge arcade console parade dungeon potion checkpoint savepoint couch keyboard \
        continue highscore trophy ticket sidekick hermit tinker nomad captain gardener librarian \
        postcard umbrella bicycle backpack
        """)

    static let emoji = ["🎮", "🕹️", "🦊", "🐙", "✨", "🌙", "☕️", "👾", "🍄", "🐈", "🌵", "🧡"]

    private static func words(_ text: String) -> [String] {
        text.split(separator: " ").map(String.init)
    }
}
