import Foundation
import PackagePlugin

/// Embeds all files of a target that are neither Swift nor templates in the program, as
/// `EmbeddedFile.all`.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let files = (target.sourceModule?.sourceFiles.map(\.url) ?? [])
            .filter { !["swift", "html", "words", "po", "pot"].contains($0.pathExtension) }
            .sorted { $0.path < $1.path }
        let swift = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(files.count) files of \(target.name)",
                executable: try context.tool(named: "view-compiler").url,
                arguments: ["embed", swift.path, target.directoryURL.path] + files.map(\.path),
                inputFiles: files, outputFiles: [swift])
        ]
    }
}
