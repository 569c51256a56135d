// A test's own program for a process of its own. Node 20 runs no TypeScript, so the program becomes JavaScript that imports the product
// as it was built, and lies as deep below the root as its source.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const FOLDER = fileURLToPath(new URL('../../.cache/test-programs/', import.meta.url));

/** The path of the JavaScript of `source`, a file of this folder that imports nothing but the product. */
export function builtProgram(source: URL): string {
  const { outputText } = ts.transpileModule(readFileSync(source, 'utf8'), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  mkdirSync(FOLDER, { recursive: true });
  const file = `${FOLDER}${basename(source.pathname, '.ts')}.js`;
  writeFileSync(file, outputText.replaceAll(/(?<=["'])\.\.\/\.\.\/src\//g, '../../dist/'));
  return file;
}
