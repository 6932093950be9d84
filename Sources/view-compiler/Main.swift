import Foundation

/// The command that the build runs on templates, and on files that it embeds in the program.
///
///     view-compiler compile ranking.html ranking.html.swift de.po …
///     view-compiler messages Views/layout.html …
///     view-compiler languages Catalogues.swift messages.pot de.po …
///     view-compiler embed EmbeddedFiles.swift Views Views/assets/site.css …
@main
enum ViewCompiler {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("compile", 3...): try compile(arguments[1], to: arguments[2], arguments[3...])
            case ("messages", 2...): try printMessages(of: arguments[1...])
            case ("languages", 3...):
                try list(arguments[3...], of: arguments[2], to: arguments[1])
            case ("embed", 3...):
                try embed(arguments[3...], of: arguments[2], to: arguments[1])
            default:
                throw Failure(
                    "usage: compile TEMPLATE OUTPUT CATALOGUE… | messages TEMPLATE… | "
                        + "languages OUTPUT MESSAGES CATALOGUE… | embed OUTPUT FOLDER FILE…"
                )
            }
        } catch let error as TemplateError {
            report(
                "\(error.file ?? arguments[1]):\(error.line):\(error.column): error: \(error.message)"
            )
        } catch {
            report("error: view-compiler: \(error)")
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// Ends the command with an error line that build systems and editors can read.
    private static func report(_ line: String) -> Never {
        FileHandle.standardError.write(Data((line + "\n").utf8))
        exit(1)
    }

    private static func compile(
        _ input: String, to output: String, _ catalogues: ArraySlice<String>
    ) throws {
        let (source, name) = (try text(of: input), name(of: input))
        let catalogues = try catalogues.map { try Catalogue(text(of: $0), file: $0, context: name) }
        let swift =
            input.hasSuffix(".words")
            ? try WordsFile(source, file: input, name: name, catalogues: catalogues).swift
            : try Template(source, file: input, name: name, catalogues: catalogues).swift
        try write(swift, to: output)
    }

    /// Prints all messages of templates and files of words as a PO template.
    private static func printMessages(of files: ArraySlice<String>) throws {
        var messages = MessageTemplate()
        for file in files {
            let (source, name) = (try text(of: file), name(of: file))
            do throws(TemplateError) {
                messages.add(
                    file.hasSuffix(".words")
                        ? try WordsFile(source, file: file, name: name).messages
                        : try Template(source, file: file, name: name).messages, of: file)
            } catch {
                report("\(file):\(error.line):\(error.column): error: \(error.message)")
            }
        }
        print(messages.text, terminator: "")
    }

    private static func list(
        _ catalogues: ArraySlice<String>, of template: String, to output: String
    ) throws {
        let list = try CatalogueList(
            template: text(of: template), file: template,
            catalogues.map { (try text(of: $0), $0) })
        try write(list.swift, to: output)
    }

    private static func text(of input: String) throws -> String {
        guard let source = String(data: try read(input), encoding: .utf8) else {
            throw Failure("\(input) is not UTF-8.")
        }
        return source
    }

    private static func name(of file: String) -> String {
        URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
    }

    private static func embed(
        _ files: ArraySlice<String>, of folder: String, to output: String
    ) throws {
        let root = folder + "/"
        let entries = try files.sorted().map { file in
            guard file.hasPrefix(root) else { throw Failure("\(file) is not in \(folder).") }
            return (path: String(file.dropFirst(root.count)), contents: try read(file))
        }
        try write(EmbeddedFileList(entries).swift, to: output)
    }

    private static func read(_ path: String) throws -> Data {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw Failure("\(path) cannot be read.")
        }
        return contents
    }

    private static func write(_ swift: String, to path: String) throws {
        try Data(swift.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
