// The language server as an editor's own library talks to it: requests, answers and their shapes are the library's.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import protocol from "vscode-languageserver-protocol/node";

const URI = "file:///tmp/nowhere/top.yaml";
const TEXT = `heat_template_version: 2018-08-31
parameters:
  flavor: {type: string, description: how large}
resources:
  a:
    type: OS::Heat::Nne
outputs:
  o: {value: {get_param: flavor}}
`;

const server = spawn(process.argv[2], ["metadata", "lsp"], { stdio: ["pipe", "pipe", "inherit"] });
const ended = new Promise((resolve) => server.on("exit", resolve));
const connection = protocol.createProtocolConnection(
  new protocol.StreamMessageReader(server.stdout), new protocol.StreamMessageWriter(server.stdin));
connection.onError(([error]) => { throw error; });
const published = [];
let wake = () => {};
connection.onNotification(protocol.PublishDiagnosticsNotification.type, (params) => { published.push(params); wake(); });
connection.listen();

async function diagnostics(version) {
  for (;;) {
    const found = published.find((params) => params.version === version);
    if (found) return found.diagnostics;
    await new Promise((resolve) => { wake = resolve; });
  }
}
const at = (line, character) => ({ textDocument: { uri: URI }, position: { line, character } });

const { capabilities } = await connection.sendRequest(protocol.InitializeRequest.type,
  { processId: process.pid, rootUri: null, capabilities: {} });
assert.equal(capabilities.textDocumentSync.change, protocol.TextDocumentSyncKind.Incremental);
await connection.sendNotification(protocol.InitializedNotification.type, {});
await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type,
  { textDocument: { uri: URI, languageId: "yaml", version: 1, text: TEXT } });
const [mistake, ...others] = await diagnostics(1);
assert.deepEqual(others, []);
assert.ok(protocol.Diagnostic.is(mistake));
assert.deepEqual(mistake.range, { start: { line: 5, character: 10 }, end: { line: 5, character: 23 } });
assert.match(mistake.message, /Did you mean OS::Heat::None\?/);

const { items } = await connection.sendRequest(protocol.CompletionRequest.type, at(5, 19));
const wanted = items.find((item) => item.label === "OS::Heat::None");
assert.ok(protocol.Range.is(wanted.textEdit.range));
assert.equal(wanted.kind, protocol.CompletionItemKind.Class);
const hover = await connection.sendRequest(protocol.HoverRequest.type, at(7, 28));
assert.match(hover.contents.value, /how large/);
const definition = await connection.sendRequest(protocol.DefinitionRequest.type, at(7, 28));
assert.deepEqual(definition, { uri: URI, range: { start: { line: 2, character: 2 }, end: { line: 2, character: 2 } } });
const [fix, ...noMore] = await connection.sendRequest(protocol.CodeActionRequest.type,
  { textDocument: { uri: URI }, range: mistake.range, context: { diagnostics: [mistake] } });
assert.deepEqual(noMore, []);
assert.ok(protocol.CodeAction.is(fix));
assert.equal(fix.title, "Change to OS::Heat::None");
assert.deepEqual(fix.edit.changes[URI], [{ range: mistake.range, newText: wanted.textEdit.newText }]);
await assert.rejects(connection.sendRequest("textDocument/foldingRange", at(0, 0)), { code: protocol.ErrorCodes?.MethodNotFound ?? -32601 });

// The outline, and a name wherever it stands.
assert.equal(capabilities.renameProvider.prepareProvider, true);
const symbols = await connection.sendRequest(protocol.DocumentSymbolRequest.type, { textDocument: { uri: URI } });
assert.ok(symbols.every((symbol) => protocol.DocumentSymbol.is(symbol)));
assert.deepEqual(symbols.map((symbol) => symbol.name), ["heat_template_version", "parameters", "resources", "outputs"]);
assert.deepEqual(symbols[2].children.map((symbol) => [symbol.name, symbol.detail]), [["a", "OS::Heat::Nne"]]);
const references = await connection.sendRequest(protocol.ReferencesRequest.type,
  { ...at(7, 28), context: { includeDeclaration: true } });
assert.deepEqual(references.map((place) => place.range.start), [{ line: 2, character: 2 }, { line: 7, character: 25 }]);
const lit = await connection.sendRequest(protocol.DocumentHighlightRequest.type, at(2, 3));
assert.deepEqual(lit.map((place) => place.kind), [protocol.DocumentHighlightKind.Write, protocol.DocumentHighlightKind.Read]);
const prepared = await connection.sendRequest(protocol.PrepareRenameRequest.type, at(7, 28));
assert.equal(prepared.placeholder, "flavor");
assert.ok(protocol.Range.is(prepared.range));
const renamed = await connection.sendRequest(protocol.RenameRequest.type, { ...at(7, 28), newName: "size" });
assert.ok(protocol.WorkspaceEdit.is(renamed));
assert.deepEqual(renamed.changes[URI], references.map((place) => ({ range: place.range, newText: "size" })));
await assert.rejects(connection.sendRequest(protocol.RenameRequest.type, { ...at(7, 28), newName: "OS::stack_id" }),
  { code: -32803, message: /Heat's own/ });
await assert.rejects(connection.sendRequest(protocol.PrepareRenameRequest.type, at(0, 3)), { code: -32803 });

// The mistake is mended as an editor takes the completion.
await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type,
  { textDocument: { uri: URI, version: 2 }, contentChanges: [{ range: mistake.range, text: wanted.textEdit.newText }] });
assert.deepEqual(await diagnostics(2), []);
await connection.sendRequest(protocol.ShutdownRequest.type);
await connection.sendNotification(protocol.ExitNotification.type);
assert.equal(await ended, 0);
console.log("lsp: all good");
process.exit(0);
