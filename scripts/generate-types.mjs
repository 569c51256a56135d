// Writes src/streams/generated/*.ts from schemas/*.avsc. With --check it writes nothing and fails when a file would change.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'src/streams/generated');
const isCheck = process.argv.includes('--check');

const primitives = {
  null: 'null',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  float: 'number',
  double: 'number',
  string: 'string',
  bytes: 'Uint8Array',
};

/** The TypeScript type of an Avro type; records that are met on the way go to `interfaces`. */
function typeText(type, interfaces) {
  if (typeof type === 'string') return primitives[type] ?? type;
  if (Array.isArray(type)) {
    const [none, some] = type;
    if (type.length !== 2 || none !== 'null') throw new TypeError('the only union is ["null", T]');
    return `${typeText(some, interfaces)} | null`;
  }
  switch (type.type) {
    case 'record':
      interfaces.unshift(interfaceText(type, interfaces));
      return type.name;
    case 'enum':
      return type.symbols.map((symbol) => `'${symbol}'`).join(' | ');
    case 'map':
      return `Readonly<Record<string, ${typeText(type.values, interfaces)}>>`;
    case 'array':
      return `readonly (${typeText(type.items, interfaces)})[]`;
    default:
      return typeText(type.type, interfaces);
  }
}

function interfaceText({ name, doc, fields }, interfaces) {
  const lines = fields.flatMap((field) => [
    `  /** ${field.doc}${unitOf(field.type)} */`,
    `  readonly ${field.name}: ${typeText(field.type, interfaces)};`,
  ]);
  return [`/** ${doc} */`, `interface ${name} {`, ...lines, '}'].join('\n');
}

function unitOf(type) {
  const inner = Array.isArray(type) ? type[1] : type;
  return inner?.logicalType === 'timestamp-millis' ? ' Epoch milliseconds.' : '';
}

function moduleText(file) {
  const interfaces = [];
  typeText(JSON.parse(readFileSync(join(root, 'schemas', file), 'utf8')), interfaces);
  const [top, ...nested] = interfaces;
  const head = `// Generated from schemas/${file} by scripts/generate-types.mjs: change the schema, then run it again.`;
  return `${[head, ...nested, `${top.replace('\ninterface', '\nexport interface')}`].join('\n\n')}\n`;
}

const files = readdirSync(join(root, 'schemas')).filter((file) => file.endsWith('.avsc'));
const wanted = new Map(files.map((file) => [file.replace('.avsc', '.ts'), moduleText(file)]));
mkdirSync(target, { recursive: true });
const present = readdirSync(target);
const current = new Map(present.map((file) => [file, readFileSync(join(target, file), 'utf8')]));
const stale = [...new Set([...wanted.keys(), ...present])].filter(
  (file) => wanted.get(file) !== current.get(file),
);

if (isCheck && stale.length > 0) {
  console.error(`not as generated: ${stale.join(', ')}. Run: node scripts/generate-types.mjs`);
  process.exitCode = 1;
}
if (!isCheck) {
  for (const [file, text] of wanted) writeFileSync(join(target, file), text);
  console.log(`${wanted.size} files in src/streams/generated`);
}
