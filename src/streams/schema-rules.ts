// Our own rules for a schema, beyond what Avro asks: they keep every later version readable for every reader that exists.

const NAMESPACE = 'pin.notifications.v1';

/** The attributes of a schema or of a field; anything may stand in them. */
type Node = Readonly<
  Partial<
    Record<
      'type' | 'name' | 'namespace' | 'doc' | 'fields' | 'items' | 'values' | 'symbols' | 'default',
      unknown
    >
  >
>;

/** What breaks the rules in the schema (JSON text), each with the path of its field. */
export function schemaRuleProblems(schema: string): readonly string[] {
  const root: unknown = JSON.parse(schema);
  if (!isNode(root) || root.type !== 'record') return ['the value must be a record'];
  const namespace = root.namespace === NAMESPACE ? [] : [`the namespace must be ${NAMESPACE}`];
  return [...namespace, ...typeProblems(root, String(root.name))];
}

function typeProblems(type: unknown, path: string): readonly string[] {
  if (Array.isArray(type)) return unionProblems(type, path);
  if (!isNode(type)) return [];
  switch (type.type) {
    case 'record':
      return [
        ...docProblems(type, path),
        ...listOf(type.fields).flatMap((field) => fieldProblems(field, path)),
      ];
    case 'enum':
      return enumProblems(type, path);
    case 'array':
      return typeProblems(type.items, `${path}[]`);
    case 'map':
      return typeProblems(type.values, `${path}{}`);
    default:
      return [];
  }
}

function fieldProblems(field: Node, parent: string): readonly string[] {
  const path = `${parent}.${String(field.name)}`;
  const isOptional = Array.isArray(field.type);
  const defaultProblem =
    isOptional && field.default !== null ? [`${path}: an optional field needs "default": null`] : [];
  return [...docProblems(field, path), ...defaultProblem, ...typeProblems(field.type, path)];
}

function unionProblems(branches: readonly unknown[], path: string): readonly string[] {
  if (branches.length !== 2 || branches[0] !== 'null') return [`${path}: the only union is ["null", T]`];
  return typeProblems(branches[1], path);
}

function enumProblems(type: Node, path: string): readonly string[] {
  const symbols = Array.isArray(type.symbols) ? (type.symbols as readonly unknown[]) : [];
  return symbols.includes(type.default) ? [] : [`${path}: an enum needs a default among its symbols`];
}

function docProblems(node: Node, path: string): readonly string[] {
  const doc = node.doc;
  return typeof doc === 'string' && doc.trim() !== '' ? [] : [`${path}: no doc`];
}

function listOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
