/// How a language writes numbers, days and lists, as CLDR says. `BabelTests` compares all
/// of it but `today`.
///
/// It is a class because a page asks for one rule at a time: a structure would be copied each time.
final class LanguageRules: Sendable {
    /// The separator of groups of three digits.
    let group: String
    /// The fewest digits that a number has before its last three if it is grouped.
    let minimumGrouping: Int
    let today: String
    /// The months, in the form that they have beside a day.
    let months: [String]
    let shortMonths: [String]
    /// CLDR's pattern for long dates, with `months`; then those for the skeletons yMMMd and MMMd, with
    /// `shortMonths`.
    let longDay: DayPattern
    let shortDay: DayPattern
    let shortDayOfYear: DayPattern
    /// The separator of a list's items, and that of the last two items in a sentence.
    let comma: String
    let and: String
    /// The separator of sentences.
    let sentenceSpace: String

    typealias DayPattern = @Sendable ((day: Int, month: String, year: Int)) -> String

    init(
        group: String, minimumGrouping: Int = 1, today: String, months: [String],
        shortMonths: [String], longDay: @escaping DayPattern, shortDay: @escaping DayPattern,
        shortDayOfYear: @escaping DayPattern, comma: String, and: String,
        sentenceSpace: String = " "
    ) {
        self.group = group
        self.minimumGrouping = minimumGrouping
        self.today = today
        self.months = months
        self.shortMonths = shortMonths
        self.longDay = longDay
        self.shortDay = shortDay
        self.shortDayOfYear = shortDayOfYear
        self.comma = comma
        self.and = and
        self.sentenceSpace = sentenceSpace
    }

    /// The months of a language that counts them.
    private static func numbered(_ month: String) -> [String] { (1...12).map { "\($0)\(month)" } }
}

extension Language {
    var rules: LanguageRules {
        switch self {
        case .en: .en
        case .de: .de
        case .es: .es
        case .fr: .fr
        case .ja: .ja
        case .ko: .ko
        case .ptBR: .ptBR
        case .ru: .ru
        case .zhHans: .zhHans
        #if DEBUG
            case .accented, .mirrored: .pseudo
        #endif
        }
    }
}

extension LanguageRules {
    /// As outside of the United States (`en-001`), but with "Sep", as long as the other months.
    static let en = LanguageRules(
        group: ",",
        today: "today",
        months: [
            "January", "February", "March", "April", "May", "June", "July", "August", "September",
            "October", "November", "December",
        ],
        shortMonths: [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ],
        longDay: { "\($0.day) \($0.month) \($0.year)" },
        shortDay: { "\($0.day) \($0.month) \($0.year)" },
        shortDayOfYear: { "\($0.day) \($0.month)" },
        comma: ", ", and: " and ")

    static let de = LanguageRules(
        group: ".",
        today: "heute",
        months: [
            "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
            "Oktober", "November", "Dezember",
        ],
        shortMonths: [
            "Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.",
            "Dez.",
        ],
        longDay: { "\($0.day). \($0.month) \($0.year)" },
        shortDay: { "\($0.day). \($0.month) \($0.year)" },
        shortDayOfYear: { "\($0.day). \($0.month)" },
        comma: ", ", and: " und ")

    static let es = LanguageRules(
        group: ".", minimumGrouping: 2,
        today: "hoy",
        months: [
            "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
            "octubre", "noviembre", "diciembre",
        ],
        shortMonths: [
            "ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic",
        ],
        longDay: { "\($0.day) de \($0.month) de \($0.year)" },
        shortDay: { "\($0.day) \($0.month) \($0.year)" },
        shortDayOfYear: { "\($0.day) \($0.month)" },
        comma: ", ", and: " y ")

    static let fr = LanguageRules(
        group: "\u{202F}",
        today: "aujourd’hui",
        months: [
            "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
            "octobre", "novembre", "décembre",
        ],
        shortMonths: [
            "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.",
            "nov.", "déc.",
        ],
        longDay: { "\($0.day) \($0.month) \($0.year)" },
        shortDay: { "\($0.day) \($0.month) \($0.year)" },
        shortDayOfYear: { "\($0.day) \($0.month)" },
        comma: ", ", and: " et ")

    static let ja = LanguageRules(
        group: ",",
        today: "今日",
        months: numbered("月"), shortMonths: numbered("月"),
        longDay: { "\($0.year)年\($0.month)\($0.day)日" },
        shortDay: { "\($0.year)年\($0.month)\($0.day)日" },
        shortDayOfYear: { "\($0.month)\($0.day)日" },
        comma: "、", and: "、", sentenceSpace: "")

    static let ko = LanguageRules(
        group: ",",
        today: "오늘",
        months: numbered("월"), shortMonths: numbered("월"),
        longDay: { "\($0.year)년 \($0.month) \($0.day)일" },
        shortDay: { "\($0.year)년 \($0.month) \($0.day)일" },
        shortDayOfYear: { "\($0.month) \($0.day)일" },
        comma: ", ", and: " 및 ")

    static let ptBR = LanguageRules(
        group: ".",
        today: "hoje",
        months: [
            "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto",
            "setembro", "outubro", "novembro", "dezembro",
        ],
        shortMonths: [
            "jan.", "fev.", "mar.", "abr.", "mai.", "jun.", "jul.", "ago.", "set.", "out.", "nov.",
            "dez.",
        ],
        longDay: { "\($0.day) de \($0.month) de \($0.year)" },
        shortDay: { "\($0.day) de \($0.month) de \($0.year)" },
        shortDayOfYear: { "\($0.day) de \($0.month)" },
        comma: ", ", and: " e ")

    static let ru = LanguageRules(
        group: "\u{A0}",
        today: "сегодня",
        months: [
            "января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября",
            "октября", "ноября", "декабря",
        ],
        shortMonths: [
            "янв.", "февр.", "мар.", "апр.", "мая", "июн.", "июл.", "авг.", "сент.", "окт.",
            "нояб.", "дек.",
        ],
        longDay: { "\($0.day) \($0.month) \($0.year)\u{202F}г." },
        shortDay: { "\($0.day) \($0.month) \($0.year)\u{202F}г." },
        shortDayOfYear: { "\($0.day) \($0.month)" },
        comma: ", ", and: " и ")

    static let zhHans = LanguageRules(
        group: ",",
        today: "今天",
        months: numbered("月"), shortMonths: numbered("月"),
        longDay: { "\($0.year)年\($0.month)\($0.day)日" },
        shortDay: { "\($0.year)年\($0.month)\($0.day)日" },
        shortDayOfYear: { "\($0.month)\($0.day)日" },
        comma: "、", and: "和", sentenceSpace: "")

    #if DEBUG
        /// English as `PseudoLanguage` of the view compiler accents it.
        static let pseudo = LanguageRules(
            group: ",",
            today: "[ťóďáý]",
            months: [
                "[Ĵáñúářý]", "[Ƒéƀřúářý]", "[Ṁářçĥ]", "[Áƥřîľ]", "[Ṁáý]", "[Ĵúñé]", "[Ĵúľý]",
                "[Áúĝúšť]", "[Šéƥťéɱƀéř]", "[Óçťóƀéř]", "[Ñóṽéɱƀéř]", "[Ďéçéɱƀéř]",
            ],
            shortMonths: [
                "[Ĵáñ]", "[Ƒéƀ]", "[Ṁář]", "[Áƥř]", "[Ṁáý]", "[Ĵúñ]", "[Ĵúľ]", "[Áúĝ]", "[Šéƥ]",
                "[Óçť]", "[Ñóṽ]", "[Ďéç]",
            ],
            longDay: { "\($0.day) \($0.month) \($0.year)" },
            shortDay: { "\($0.day) \($0.month) \($0.year)" },
            shortDayOfYear: { "\($0.day) \($0.month)" },
            comma: ", ", and: " [áñď] ")
    #endif
}
