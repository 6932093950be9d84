import Foundation
import PackagePlugin

/// Compiles each template of a target, a file ending in `.html`, and each file of words, into Swift, with
/// the translations of the target's catalogues, which end in `.po`, and lists how much of each is translated.
@main
struct CompileViews: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let compiler = try context.tool(named: "view-compiler").url
        let files = target.sourceModule?.sourceFiles.map(\.url) ?? []
        let catalogues = files.filter { $0.pathExtension == "po" }.sorted { $0.path < $1.path }
        let messages = target.directoryURL.appending(path: "Languages/messages.pot")
        let list = context.pluginWorkDirectoryURL.appending(path: "Catalogues.swift")
        let listing = Command.buildCommand(
            displayName: "Listing the catalogues", executable: compiler,
            arguments: ["languages", list.path, messages.path] + catalogues.map(\.path),
            inputFiles: [messages] + catalogues, outputFiles: [list])
        return [listing]
            + files.filter { ["html", "words"].contains($0.pathExtension) }.map { template in
                let name = template.lastPathComponent
                let swift = context.pluginWorkDirectoryURL.appending(path: name + ".swift")
                return .buildCommand(
                    displayName: "Compiling \(name)", executable: compiler,
                    arguments: ["compile", template.path, swift.path] + catalogues.map(\.path),
                    inputFiles: [template] + catalogues, outputFiles: [swift])
            }
    }
}
