extension HTML {
    /// Makes browsers without scripts load the page again after two seconds. The compiler of templates
    /// allows no tags in `<noscript>`, since browsers with scripts take them for text. This has no
    /// values.
    static func reload(to html: inout HTML) {
        html.raw(#"<noscript><meta http-equiv="refresh" content="2"></noscript>"#)
    }
}
