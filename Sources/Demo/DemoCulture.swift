/// The languages that demo comments are written in.
enum DemoLanguage: Int, CaseIterable, Sendable {
    case english, arabic, chinese, czech, dutch, french, german, hindi, italian, japanese, korean
    case polish, portuguese, russian, spanish, swedish, turkish, ukrainian
}

/// Given names and family names that belong together.
struct DemoCulture: Sendable {
    let language: DemoLanguage
    /// How common its people are among the users.
    let weight: Double
    let given: [Name]
    let family: [Name]
    private let familyFirst: Bool
    private let separator: String

    /// A name as it is written, and as it appears in a username.
    struct Name: Sendable {
        let text: String
        let handle: String
    }

    /// - Parameter given: Names separated by commas. A name with letters other than a–z is followed
    ///   by a slash and its form in usernames.
    private init(
        _ language: DemoLanguage, weight: Double, given: String, family: String,
        familyFirst: Bool = false, separator: String = " "
    ) {
        self.language = language
        self.weight = weight
        self.given = Self.names(given)
        self.family = Self.names(family)
        self.familyFirst = familyFirst
        self.separator = separator
    }

    private static func names(_ list: String) -> [Name] {
        list.split(separator: ",").map { item in
            let parts = item.drop { $0 == " " }.split(separator: "/")
            let text = String(parts[0])
            return Name(text: text, handle: parts.count > 1 ? String(parts[1]) : text.lowercased())
        }
    }

    /// A display name: `style`, from 0 to 1, decides between the full name and parts of it.
    func display(_ given: Name, _ family: Name, style: Double) -> String {
        if style < 0.3 {
            return given.text
        }
        if familyFirst {
            return family.text + separator + given.text
        }
        return style < 0.45 && separator == " "
            ? "\(given.text) \(family.text.prefix(1))."
            : given.text + separator + family.text
    }

    static let all = [
        DemoCulture(
            .english, weight: 34,
            given: """
                Rob, Alice, Sam, Priya, Jordan, Casey, Hannah, Owen, Ruby, Theo, Nadia, Callum, \
                Grace, Eli, Zoë/zoe, Marcus, Imogen, Dylan, Tess, Andre, Fiona, Kofi, Amara, Liam, \
                Siobhán/siobhan, Jade, Noah, Bea, Curtis, Yusuf, Robin, Ellis, Morgan, Keisha
                """,
            family: """
                Carter, Hughes, Okafor, Bennett, Walsh, Patel, Nguyen, Foster, Byrne, Kelly, \
                O'Neill/oneill, Clarke, Reyes, Campbell, Mensah, Brooks, Sinclair, Hart, Doyle, \
                Fletcher, Whitaker, Banks, Adeyemi, Singh, Marsh, Lowe, Quinn, Abbott
                """),
        DemoCulture(
            .spanish, weight: 10,
            given: """
                Lucía/lucia, Mateo, Sofía/sofia, Diego, Valeria, Andrés/andres, Camila, Javier, \
                Inés/ines, Pablo, Ximena, Joaquín/joaquin, Rocío/rocio, Álvaro/alvaro, Paula, Iker
                """,
            family: """
                García/garcia, Fernández/fernandez, Ríos/rios, Vega, Castillo, Núñez/nunez, Soto, \
                Ortega, Peña/pena, Ramírez/ramirez, Delgado, Cruz, Ibáñez/ibanez, Lozano
                """),
        DemoCulture(
            .portuguese, weight: 7,
            given: """
                João/joao, Beatriz, Thiago, Larissa, Rafael, Inês/ines, Caio, Luana, Gustavo, \
                Letícia/leticia, Vinícius/vinicius, Marina, Tomás/tomas, Bruna
                """,
            family: """
                Silva, Souza, Conceição/conceicao, Almeida, Araújo/araujo, Rocha, Barbosa, Pinto, \
                Gonçalves/goncalves, Teixeira, Moreira, Brandão/brandao
                """),
        DemoCulture(
            .french, weight: 7,
            given: """
                Chloé/chloe, Léo/leo, Manon, Hugo, Élodie/elodie, Antoine, Juliette, Rémi/remi, \
                Inès/ines, Baptiste, Anaïs/anais, Théo/theo, Maëlle/maelle, Karim, Aïcha/aicha
                """,
            family: """
                Moreau, Lefèvre/lefevre, Girard, Roux, Benoît/benoit, Garnier, Faure, Lambert, \
                Besnard, Diallo, Perrin, Chevalier, Noël/noel, Bouchard
                """),
        DemoCulture(
            .german, weight: 7,
            given: """
                Jürgen/juergen, Lena, Felix, Anke, Matthias, Jule, Björn/bjoern, Sabine, Tobias, \
                Frieda, Kilian, Käthe/kaethe, Jonas, Mareike, Emre, Theresa
                """,
            family: """
                Müller/mueller, Schäfer/schaefer, Vogel, Brandt, Krüger/krueger, Lange, Winkler, \
                Seidel, Böhm/boehm, Kaiser, Hofmann, Yılmaz/yilmaz, Jansen, Ziegler
                """),
        DemoCulture(
            .italian, weight: 4,
            given: """
                Giulia, Marco, Chiara, Lorenzo, Francesca, Davide, Noemi, Niccolò/niccolo, Elisa, \
                Tommaso, Ginevra, Riccardo
                """,
            family: """
                Rossi, Bianchi, Ferrari, Gallo, Conti, Greco, Marchetti, De Luca/deluca, Rinaldi, \
                Colombo, D'Angelo/dangelo, Serra
                """),
        DemoCulture(
            .dutch, weight: 3,
            given: "Sanne, Daan, Fleur, Jeroen, Lotte, Bram, Noor, Sjoerd, Maaike, Thijs, Joost",
            family: """
                Jansen, de Vries/devries, Bakker, Visser, van Dijk/vandijk, Smit, Mulder, Bos, \
                Hendriks, Kuipers
                """),
        DemoCulture(
            .swedish, weight: 3,
            given: """
                Elsa, Åsa/asa, Oskar, Linnéa/linnea, Nils, Saga, Björn/bjorn, Freja, Viktor, \
                Maja, Søren/soren, Aino, Mikko, Sigrún/sigrun
                """,
            family: """
                Lindqvist, Ek, Bergström/bergstrom, Nyman, Sjöberg/sjoberg, Dahl, Åkesson/akesson, \
                Holm, Virtanen, Østergaard/ostergaard, Lund
                """),
        DemoCulture(
            .polish, weight: 4,
            given: """
                Tomasz, Zofia, Paweł/pawel, Kasia, Łukasz/lukasz, Magda, Wojtek, Agnieszka, Kuba, \
                Małgorzata/malgorzata, Szymon, Ola
                """,
            family: """
                Nowak, Wójcik/wojcik, Mazur, Król/krol, Wróbel/wrobel, Pawlak, Sikora, Kaczmarek, \
                Zając/zajac, Kozioł/koziol
                """),
        DemoCulture(
            .czech, weight: 2,
            given: """
                Ondřej/ondrej, Tereza, Jiří/jiri, Kateřina/katerina, Vojtěch/vojtech, Zuzana, \
                Štěpán/stepan, Eliška/eliska
                """,
            family: "Krejčí/krejci, Kočí/koci, Janů/janu, Petrů/petru, Martinů/martinu"),
        DemoCulture(
            .turkish, weight: 2,
            given: """
                Elif, Emre, Zeynep, Çağlar/caglar, Deniz, Gökçe/gokce, Şule/sule, Barış/baris, \
                Ayşe/ayse, Kerem
                """,
            family: """
                Kaya, Demir, Çelik/celik, Şahin/sahin, Öztürk/ozturk, Aydın/aydin, Arslan, Koç/koc
                """),
        DemoCulture(
            .japanese, weight: 6,
            given: """
                葵/aoi, 健太/kenta, さくら/sakura, 悠斗/yuto, 美咲/misaki, 翔/sho, 直樹/naoki, \
                千尋/chihiro, 拓海/takumi, 結衣/yui, ひかり/hikari, 蓮/ren
                """,
            family: """
                木村/kimura, 佐藤/sato, 山本/yamamoto, 中島/nakajima, 石川/ishikawa, 森/mori, \
                小林/kobayashi, 藤田/fujita, 岡田/okada, 青木/aoki
                """, familyFirst: true),
        DemoCulture(
            .korean, weight: 3,
            given: """
                민준/minjun, 서연/seoyeon, 지호/jiho, 하은/haeun, 도윤/doyun, 수빈/subin, 예린/yerin, \
                태양/taeyang
                """,
            family: "김/kim, 이/lee, 박/park, 최/choi, 정/jung, 강/kang, 조/cho, 윤/yoon",
            familyFirst: true, separator: ""),
        DemoCulture(
            .chinese, weight: 4,
            given: """
                小明/xiaoming, 思远/siyuan, 雨桐/yutong, 浩然/haoran, 欣怡/xinyi, 子轩/zixuan, \
                诗涵/shihan, 嘉豪/jiahao, 佳颖/jiaying
                """,
            family: "李/li, 王/wang, 陈/chen, 刘/liu, 黄/huang, 林/lin, 吴/wu, 周/zhou",
            familyFirst: true, separator: ""),
        DemoCulture(
            .arabic, weight: 3,
            given: """
                ليلى/layla, عمر/omar, نور/nour, يوسف/youssef, سارة/sara, كريم/kareem, هدى/huda, \
                طارق/tariq, ياسمين/yasmin
                """,
            family: """
                حداد/haddad, المصري/almasri, خوري/khoury, منصور/mansour, العلي/alali, نجار/najjar, \
                بشارة/bishara
                """),
        DemoCulture(
            .hindi, weight: 3,
            given: """
                आरव/aarav, दिया/diya, रोहन/rohan, कविता/kavita, Arjun, Ananya, Vikram, Neha, Ishaan, \
                Pooja
                """,
            family: "Sharma, Iyer, Gupta, Reddy, Banerjee, Joshi, Khan, Kapoor, Nair"),
        DemoCulture(
            .russian, weight: 2,
            given: """
                Алексей/alexey, Мария/maria, Дмитрий/dmitry, Ольга/olga, Иван/ivan, Катя/katya, \
                Павел/pavel
                """,
            family: "Шевчук/shevchuk, Черных/chernykh, Седых/sedykh, Ткач/tkach, Гринберг/grinberg"),
        DemoCulture(
            .ukrainian, weight: 2,
            given: """
                Оксана/oksana, Тарас/taras, Юлія/yulia, Андрій/andriy, Софія/sofiia, Богдан/bohdan
                """,
            family: """
                Шевченко/shevchenko, Коваль/koval, Бондаренко/bondarenko, Мельник/melnyk, \
                Лисенко/lysenko
                """),
    ]
}
