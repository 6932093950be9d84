import Testing

@testable import view_compiler

@Suite("The place of a value in HTML")
struct HTMLContextTests {
    /// Reads literal HTML in which `{}` is a value and `%` a statement.
    ///
    /// - Returns: How the last value is escaped.
    private func read(_ html: String) throws -> HTMLContext.Escaping? {
        var context = HTMLContext()
        var escaping: HTMLContext.Escaping?
        var isValue = false
        for byte in html.utf8 {
            switch byte {
            case UInt8(ascii: "{"): isValue = true
            case UInt8(ascii: "}") where isValue:
                escaping = try context.readValue()
                isValue = false
            case UInt8(ascii: "%"): try context.readStatement()
            default: try context.read(byte)
            }
        }
        return escaping
    }

    private func refusal(_ html: String) -> String? {
        do {
            _ = try read(html)
            return nil
        } catch {
            return (error as? HTMLContext.Refusal)?.message
        }
    }

    @Test(
        "decides how it is escaped",
        arguments: [
            ("{}", HTMLContext.Escaping.text), ("<p>{}", .text), ("<P CLASS=\"a\">{}</P>", .text),
            ("a &lt; {}", .text), ("<br/>{}", .text), ("<!-- <b \" --> {}", .text),
            ("<!-->{}", .text), ("<!--a--!>{}", .text), ("<!doctype html>{}", .text),
            ("<!DOCTYPE html>{}", .text), ("<input disabled>{}", .text),
            ("<input value=a>{}", .text), ("<i class='>'>{}", .text),
            ("<script>a < b</script>{}", .text),
            ("<script>1<2</script >{}", .text), ("<style>b{</style>{}", .text),
            ("<title>{}", .plainText), ("<textarea rows=\"3\">\n{}", .plainText),
            ("<title>1</title>{}", .text), ("<svg><title>1</title>{}", .text), ("<br / >{}", .text),
            ("<p class=\"{}", .attribute), ("<p class=\"a {}", .attribute),
            ("<p\nclass = \"{}", .attribute), ("<p a='b' title=\"{}", .attribute),
            ("<p hidden title=\"{}", .attribute), ("<a href=\"{}\" title=\"{}", .attribute),
            ("<svg><rect width=\"{}", .attribute), ("<p data-style=\"{}", .attribute),
            ("<a href=\"{}", .address), ("<A HREF=\"{}", .address), ("<img src=\"{}", .address),
            ("<img srcset=\"{}", .address), ("<form action=\"{}", .address),
            ("<button formaction=\"{}", .address), ("<video poster=\"{}", .address),
            ("<use xlink:href=\"{}", .address), ("<iframe src=\"{}", .address),
            ("<script src=\"{}", .ownAddress), ("<base href=\"{}", .ownAddress),
            ("<object data=\"{}", .ownAddress), ("<embed src=\"{}", .ownAddress),
            ("<link rel=\"canonical\" href=\"{}", .address),
            ("<link rel=icon href=\"{}", .ownAddress),
            ("<link href=\"{}", .ownAddress), ("<link rel=\"stylesheet\" href=\"{}", .ownAddress),
            ("<link rel=a rel=canonical href=\"{}", .ownAddress), ("<a href=\"/@{}{}", .attribute),
            ("<a href=\"/@{}", .attribute), ("<a href=\"/games/{}/{}", .attribute),
            ("<a href=\"#{}", .attribute), ("<a href=\"?a={}&b={}", .attribute),
            ("<a href=\"https://a.example/{}", .attribute), ("<a href=\"{}?a={}", .attribute),
            ("<a href=\"{}#{}", .attribute), ("<img srcset=\"{} 2x\" alt=\"{}", .attribute),
            ("<meta content=\"{}", .attribute), ("<meta name=\"a\" content=\"b {}", .attribute),
            ("<meta http-equiv=\"refresh\" content=\"0; url={}", .redirectAddress),
            ("<META HTTP-EQUIV=refresh CONTENT=\"5; URL={}", .redirectAddress),
            ("<script type=\"application/ld+json\">{}", .json),
            ("<script type=\"application/json\" id=\"a\">{}", .json),
            ("<script id=\"a\" type='application/ld+json'>\n{}", .json),
        ])
    func escaping(html: String, expected: HTMLContext.Escaping) throws {
        #expect(try read(html) == expected)
    }

    @Test(
        "is refused where no escaping would be enough",
        arguments: [
            ("<{}", "in the name of a tag"), ("</{}", "in the name of a tag"),
            ("<p{}", "in the name of a tag"), ("</p{}", "in the name of a tag"),
            ("<p {}", "in a tag"), ("<p a{}", "in a tag"), ("<p a {}", "in a tag"),
            ("<p a=\"b\"{}", "in a tag"), ("<p a={}", "without double quotes"),
            ("<p a=b{}", "without double quotes"), ("<p a='{}", "without double quotes"),
            ("<a href='{}", "without double quotes"), ("<!{}", "in a declaration"),
            ("<!doctype {}", "in a declaration"), ("<!--{}", "in a comment"),
            ("<!-- -- > {}", "in a comment"), ("<p onclick=\"{}", "in the attribute onclick"),
            ("<p ONCLICK=\"a({})", "in the attribute onclick"),
            ("<p style=\"color: {}", "in the attribute style"),
            ("<iframe srcdoc=\"{}", "in the attribute srcdoc"), ("<script>{}", "in <script>"),
            ("<SCRIPT>{}", "in <script>"), ("<script type=\"module\">{}", "in <script>"),
            ("<script type=\"a\" type=\"application/ld+json\">{}", "in <script>"),
            ("<script type=\"%application/ld+json\">{}", "in <script>"),
            ("<script type=\"application/ld+json\"></scrip{}", "in <script>"),
            ("<style>{}", "in <style>"), ("<style></style{}", "in <style>"),
            ("<noscript>{}", "in <noscript>"), ("<xmp>{}", "in <xmp>"),
            ("<title></title{}", "in <title>"), ("<textarea><{}", "in <textarea>"),
            ("<meta http-equiv=\"{}", "in the attribute http-equiv"),
            ("<meta http-equiv=\"set-cookie\" content=\"{}", "only as http-equiv=\"refresh\""),
            ("<meta http-equiv=\"refresh\" content=\"{}", "only as http-equiv=\"refresh\""),
            ("<meta http-equiv=\"refresh\" content=\"0; url=//a/{}", "only as http-equiv"),
            ("<meta http-equiv=\"refresh\" content=\"0; url={}/a", "Nothing may follow"),
            ("<meta http-equiv=\"refresh\" content=\"0; url={}{}", "only as http-equiv"),
            ("<meta http-equiv=\"refresh\" content=\"0; url={}%a", "Nothing may follow"),
            ("<meta content=\"{}\" http-equiv=\"refresh\">", "must come before the content"),
            ("<meta charset=\"{}", "in the attribute charset"),
            ("<iframe sandbox=\"{}", "in the attribute sandbox"),
            ("<script type=\"{}", "in the attribute type"),
            ("<param value=\"{}", "in the attribute value"),
            ("<base target=\"{}", "in the attribute target"),
            ("<link rel=\"{}", "in the attribute rel"),
            ("<set to=\"{}", "of <set>"), ("<animate values=\"{}", "of <animate>"),
            ("<img srcset=\"/a 1x, {} 2x", "only the first"), ("<a ping=\"{} {}", "only the first"),
            ("<!-- \u{600}--><a onclick=\"{}", "in the attribute onclick"),
        ])
    func refusals(html: String, words: String) throws {
        let message = try #require(refusal(html))
        #expect(message.contains(words), "\(message)")
    }

    @Test(
        "is refused in an address that could lead elsewhere",
        arguments: [
            "<a href=\"java{}", "<a href=\"javascript:{}", "<a href=\"/{}", "<a href=\"//{}",
            "<a href=\"/\\{}", "<a href=\"{}{}", "<a href=\"{}/a", "<a href=\"{}a", "<a href=\" {}",
            "<a href=\"https:{}", "<a href=\"https://{}", "<a href=\"https://a.example{}",
            "<a href=\"&#47;{}", "<a href=\"/&#47;{}", "<a href=\"%{}", "<a href=\"data:{}",
            "<form action=\"a{}", "<img src=\"{}.png", "<script src=\"{}%/a",
        ])
    func addresses(html: String) {
        #expect(refusal(html) != nil)
    }

    @Test(
        "is refused behind HTML that has a meaning of its own",
        arguments: [
            "a < b", "<3", "<?xml", "<![CDATA[", "<!element", "<p =\"a\"", "<p \"a\"", "<p a=>",
            "<script><!--", "<script>a<b", "<script></b", "<textarea><b>", "<title>1 < 2",
            "<svg><title/>", "<textarea />", "<style a=\"b\"/>", "<select><style><a onclick=\"",
            "<style><a",
        ])
    func literals(html: String) {
        #expect(refusal(html) != nil)
    }

    @Test("is the only kind of limit that a field can have")
    func limits() {
        for html in [
            "<input maxlength=\"100\">", "<input MINLENGTH=2>", "<input max='9'>",
            "<input min=\"1\">",
            "<textarea maxlength=\"100\">", "<textarea minlength=1>",
        ] {
            #expect(refusal(html)?.contains("A limit is a value") == true, "\(html)")
        }
        for html in [
            "<input maxlength=\"{}\">", "<input min=\"{}\" max=\"{}\">",
            "<textarea rows=\"3\" maxlength=\"{}\">", "<progress max=\"1\">",
        ] {
            #expect(refusal(html) == nil, "\(html)")
        }
    }

    @Test("lets a statement be where nothing is half said")
    func statements() {
        for html in [
            "%", "<p>%", "<p class=\"a%", "<p%>", "<p a%>", "<p a %>", "<p a=\"b\" %>",
            "<title>%", "<a href=\"/%",
        ] {
            #expect(refusal(html) == nil, "\(html)")
        }
        for html in [
            "<%", "</p%", "<p a=%", "<p a=b%", "<p a='%", "<!--%", "<script>%",
            "<textarea></text%", "<p%b", "<p on%click=\"", "<p href%=\"{}", "<p a %=\"{}",
        ] {
            #expect(refusal(html) != nil, "\(html)")
        }
    }

    @Test("is the same behind both branches of a statement, or not")
    func equality() throws {
        func context(_ html: String) throws -> HTMLContext {
            var context = HTMLContext()
            for byte in html.utf8 { try context.read(byte) }
            return context
        }
        for (one, other) in [
            ("<p>", "<a href=\"b\">c</a>"), ("<p class=\"a", "<p class=\"b"),
            ("<p ", "<p a=\"b\" "), ("<title>", "<title>1"),
        ] {
            #expect(try context(one) == context(other), "\(one) \(other)")
        }
        for (one, other) in [
            ("", "<"), ("", "<p "), ("<p ", "<a "), ("<p class=\"", "<p title=\""),
            ("<p class=\"", "<a class=\""), ("<a href=\"", "<a href=\"a"), ("", "<script>"),
            ("<title>", "<textarea>"), ("<p a='", "<p a=\""), ("", "<!--"),
            ("<meta ", "<meta http-equiv=\"refresh\" "),
            ("<script ", "<script type=\"application/ld+json\" "),
        ] {
            #expect(try context(one) != context(other), "\(one) \(other)")
        }
    }
}
