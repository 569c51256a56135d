// Builds the copy of the source again and again: what did not change is neither read nor checked twice, so a seeded bug costs about a
// second and not a whole build. Every build is type-checked in full.
import { join } from 'node:path';
import ts from 'typescript';

/** A function that builds after `changed` files (absolute paths) were written, and returns the complaints of the type checker. */
export function openBuild(home) {
  const { options, fileNames } = readConfig(join(home, 'tsconfig.build.json'));
  const host = cachingHost(options);
  let program;
  return (changed) => {
    for (const file of changed) host.forget(file);
    program = ts.createEmitAndSemanticDiagnosticsBuilderProgram(fileNames, options, host.host, program);
    const complaints = [...program.getSyntacticDiagnostics(), ...program.getSemanticDiagnostics()];
    program.emit();
    return complaints.map(
      ({ file, messageText }) =>
        `${file?.fileName.replace(`${home}/`, '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  };
}

function readConfig(path) {
  const { config } = ts.readConfigFile(path, ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent(
    config,
    ts.sys,
    join(path, '..'),
    { incremental: false, tsBuildInfoFile: undefined, sourceMap: false },
    path,
  );
  return { options: parsed.options, fileNames: parsed.fileNames };
}

function cachingHost(options) {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  const known = new Map();
  host.getSourceFile = (name, ...rest) => {
    const there = known.get(name);
    if (there !== undefined) return there;
    const file = read(name, ...rest);
    if (file !== undefined) file.version = ts.sys.createHash(file.text);
    known.set(name, file);
    return file;
  };
  return { host, forget: (name) => known.delete(name) };
}
