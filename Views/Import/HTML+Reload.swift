extension HTML {
    /// Makes browsers without scripts load the page again after two seconds. The compiler of templates
    /// allows no tags in `<noscript>`, since browsers with scripts take them for text. This has no
    /// values.
    static var reload: HTML {
        var html = HTML(reserving: 80)
        html.raw(#"<noscript><meta http-equiv="refresh" content="2"></noscript>"#)
        return html
    }
}
