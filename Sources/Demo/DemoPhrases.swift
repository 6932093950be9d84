/// The sentences that demo comments are made of. None of them says what happens in a game or how it
/// is played, so every sentence fits every game.
enum DemoPhrases {
    static let openers = [
        "My comfort game.",
        "Still the one.",
        "Pure joy.",
        "An absolute classic.",
        "I mean, obviously.",
        "No notes.",
        "Where do I even start?",
        "Ten out of ten, would lose a weekend again.",
        "This one is personal.",
        "A little masterpiece.",
        "Never gets old.",
        "The best gift I ever got.",
        "Top of the pile for me.",
        "Hear me out.",
        "I will not be taking questions.",
        "Changed how I think about games.",
        "My desert island pick.",
        "Instant favourite.",
        "A slow burn, and worth every minute.",
        "Lightning in a bottle.",
        "Some games you play, this one you live in for a while.",
        "It just clicks.",
        "I was not ready for how good this is.",
        "Everybody told me to play it. Everybody was right.",
        "Perfect on a rainy Sunday.",
        "Old friend of mine.",
        "Best thing I played that year.",
        "so so good",
        "iconic, honestly",
        "the GOAT, fight me (politely)",
        "Chef's kiss.",
        "Criminally underrated.",
        "Yes, it deserves the hype.",
        "Not perfect, but perfect for me.",
        "I laughed, I sighed, I stayed up too late.",
        "Number one for a reason.",
        "Hard to explain, easy to love.",
        "It had me within five minutes.",
        "What a ride.",
        "Bliss.",
        "Love at first try.",
        "Nothing else feels like it.",
        "A warm blanket of a game.",
        "This is why I play games at all.",
    ]

    static let reasons = [
        "I come back to it every winter.",
        "My brother and I argued for hours over whose turn it was.",
        "It got me through a rough year, and I'll always be grateful for that.",
        "Every time I think I know it, I find something new.",
        "It respects your time, and it still took all of mine.",
        "I borrowed it from a friend and never really gave it back.",
        "I've bought it three times and I'd do it again.",
        "You can feel how much care went into it.",
        "It taught me patience, which my family finds hard to believe.",
        "There is always one more thing to try.",
        "I played it on a tiny screen with terrible glare and didn't mind at all.",
        "The first hour alone is better than most things I own.",
        "My daughter watches, gives orders, and is usually right.",
        "I still hum it while cooking.",
        "Nothing else gets me into that state where the evening just disappears.",
        "Simple enough to explain in a sentence, deep enough for years.",
        "I wrote pages of notes about it and I regret nothing.",
        "It knows exactly what it wants to be.",
        "We passed the controls around the whole dorm.",
        "It made me cancel plans. Good plans.",
        "I was terrible at it, then less terrible, then hooked.",
        "There's a generosity to it that I rarely see.",
        "It looks like nothing else on my shelf.",
        "Whoever made this understands delight.",
        "I remember exactly where I sat when I first played it.",
        "It's the one I put in anybody's hands who says they don't like games.",
        "My whole group of friends has in-jokes from it.",
        "It has aged better than I have.",
        "The little details get me every single time.",
        "It kept surprising me long after I thought it was out of surprises.",
        "I saved up for months and it was worth every coin.",
        "I lost my save once and started over the same evening.",
        "It made a twelve-hour flight feel short.",
        "I've never been so happy to be so bad at something.",
        "It's honest work for the thumbs and the head.",
        "It rewards curiosity more than anything else I've played.",
        "Everything in it feels good to do, even the small things.",
        "My partner and I still talk about it at dinner.",
        "It started a hobby that outlived three laptops.",
        "It's what I play when I don't know what to play.",
        "It sounds as good as it plays.",
        "I keep a spare copy to lend to people.",
        "You can tell that somebody fought for every idea in it.",
        "I finally understood what all the fuss was about.",
        "It makes me feel clever, even on days when nothing else does.",
        "I found it in a bargain bin and it turned out to be priceless.",
        "It's the first game I ever stayed home sick for. Sort of sick.",
        "There was a summer when I did nothing else.",
        "It pulled me back into gaming after years away.",
        "I recommended it to my boss. My boss hasn't slept since.",
        "It runs fine on my ancient machine, bless it.",
        "I like who I am when I play it: calm and a bit silly.",
        "It's tough, but it never feels unfair to me.",
        "My grandmother asked what I was doing and then wanted a go.",
        "It doesn't shout for attention, and still I think about it all the time.",
        "The pacing is just right: you breathe in, you breathe out.",
        "I can pick it up after a year and be home again in a minute.",
        "It turned a boring commute into the best part of my day.",
        "A friend moved away, and this is how we kept in touch.",
        "I named a cat after something in it.",
        "I've lost count of the hours, and that was the best part.",
        "It's full of ideas that others are still borrowing.",
    ]

    static let closers = [
        "Go play it.",
        "If you haven't tried it yet, I envy you.",
        "I'd give a lot to play it for the first time again.",
        "Thanks to everyone who made it.",
        "See you in another hundred hours.",
        "And I'd do it all again tomorrow.",
        "My thumbs may never recover.",
        "Worth it, every time.",
        "Five stars from me and from the cat.",
        "It stays on my shelf for good.",
        "Ask me again in ten years, same answer.",
        "I rest my case.",
        "Turn the lights down and enjoy.",
        "Play it with somebody you like.",
        "Headphones recommended.",
        "No regrets.",
        "That's the whole review.",
        "Don't look anything up, just start.",
        "It's going to be hard to push this one off my list.",
        "Still chasing that feeling.",
        "Bring snacks.",
        "Sorry to my sleep schedule.",
        "Anyway, I'm reinstalling it now.",
        "You'll know within an hour whether it's for you. It's for you.",
        "I miss those evenings.",
        "Mum, if you read this: thank you.",
        "Change my mind.",
        "<3",
    ]

    static let paragraphs = [
        """
        I first played it at a cousin's place during the holidays. We were supposed to be asleep. \
        I don't think either of us has ever been as quiet, or as excited, as we were that night.
        """,
        """
        A few years ago I was between jobs and not doing great. A friend turned up, put this on, \
        and said nothing for an hour. It was exactly what I needed, and I've had a soft spot for \
        it ever since.
        """,
        """
        What I admire most is restraint. So many games throw everything at you at once; this one \
        picks its moments, and because it does, they land.
        """,
        """
        I've tried to explain to people who don't play why it matters to me, and I always fail. \
        The closest I've come: it is a place I can go to.
        """,
        """
        There's a version of me that never picked this up, and I think that version is a bit \
        duller, better rested, and has a much tidier flat.
        """,
        """
        I keep a short list of things I'd save from a fire. It's mostly photographs. It's also \
        this, with the box, the slightly torn manual and a price sticker I never could remove.
        """,
        """
        Our local shop had one demo machine, and this was on it for a whole spring. The owner \
        knew all our names by the end. When the shop closed he gave me the poster.
        """,
        """
        People will tell you about the big moments. For me it's the small ones: a quiet minute, \
        a neat little idea tucked into a corner where nobody had to put one.
        """,
        """
        It was the first thing I bought with my own money. I remember counting the coins twice, \
        and the walk home feeling very, very long.
        """,
        """
        When our son was born I had one free hand and about forty minutes a night. This fitted \
        into that gap perfectly, and now he's old enough to sit next to me while I play.
        """,
        """
        I'm usually the person who drops things halfway. Not this time. I cleared my evenings, \
        told everyone I was busy, and was, for once, completely there.
        """,
        """
        I've read every complaint about it, and I even agree with some. Then I start it up, and \
        ten minutes later I've forgotten all of them.
        """,
        """
        Every Thursday, four of us, same couch, same order of pizza. We mostly talk over it by \
        now. But if anybody suggested another game, there would be a riot.
        """,
        """
        I make things for a living, and this is the standard I measure myself against: nothing \
        wasted, nothing missing, and a sense of humour about itself.
        """,
        """
        I moved abroad with one suitcase, and this came along. In a town where I knew nobody it \
        was the most familiar thing I had, and later it was how I met my neighbours.
        """,
    ]
}
