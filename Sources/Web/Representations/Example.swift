import Endpoints

extension Example {
    static let siteName = "Couch Club"
    static let secret = "6A2erJy9yZhKgYIejGNBnm73CBGJ8MJvp6TBRyNfTmk"
    static let user = "a27420db-cc85-4cdd-b225-3dc9d98f1b77"
    static let entry = "c6735692-e58b-4749-9684-8aa0017945b5"
    static let circle = "0b0a7ac3-1a3f-4d0b-8a55-3c9f6f2f5a10"
    static let member = "5f4cc2a0-93d2-4d27-9a3e-0d1f6c3a7be4"
    static let digest = "973355cfc1fff2e026f2f439d33803f0c4d6c59514603471853b8c3b74e144c1"
    static let cover = "https://images.igdb.com/igdb/image/upload/t_cover_big_2x/co1x7d.webp"
    static let comment = "The cake is a lie."
}
