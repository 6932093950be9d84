import Foundation

/// The command that the build runs on templates, and on files that it embeds in the program.
///
///     view-compiler compile ranking.html ranking.html.swift
///     view-compiler embed EmbeddedFiles.swift Views Views/assets/site.css …
@main
enum ViewCompiler {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch (arguments.first, arguments.count) {
            case ("compile", 3): try compile(arguments[1], to: arguments[2])
            case ("embed", 3...):
                try embed(arguments[3...], of: arguments[2], to: arguments[1])
            default: throw Failure("usage: compile TEMPLATE OUTPUT | embed OUTPUT FOLDER FILE…")
            }
        } catch let error as TemplateError {
            report("\(arguments[1]):\(error.line):\(error.column): error: \(error.message)")
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

    private static func compile(_ input: String, to output: String) throws {
        guard let source = String(data: try read(input), encoding: .utf8) else {
            throw Failure("\(input) is not UTF-8.")
        }
        let name = URL(fileURLWithPath: input).deletingPathExtension().lastPathComponent
        try write(Template(source, file: input, name: name).swift, to: output)
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
