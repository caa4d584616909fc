import { isPlainObject } from '../platform/json.js';
import type { AgentFields } from './agent-shape.js';
import type { FrontMatter } from '../parsing/front-matter.js';

/** A name in an agent's file that refers to something outside of the file. */
export interface Reference {
  /** `self` is the agent's own name, `rule` a permission rule. */
  kind: 'self' | 'tool' | 'rule' | 'tree' | 'agent';
  /** Path of the field, as `permissions.deny`. */
  field: string;
  value: string;
  line: number;
}

type Path = readonly string[];

/** @param given the fields as they are written, which the lines are of. */
export function findReferences(
  fields: AgentFields,
  { given, lineOf }: { given: unknown } & Pick<FrontMatter, 'lineOf'>,
): Reference[] {
  const refer = (kind: Reference['kind'], path: Path, values: readonly string[] = []) =>
    values.map((value) => {
      const written = at(given, path);
      const index = Array.isArray(written)
        ? written.findIndex((item: unknown) => String(item).trim() === value)
        : -1;
      return { kind, field: path.join('.'), value, line: lineOf([...path, index]) };
    });
  const { name, decision_tree: tree, permissions = {} } = fields;
  return [
    ...refer('self', ['name'], name === undefined ? [] : [name]),
    ...refer('tool', ['tools'], fields.tools),
    ...refer('tree', ['decision_tree'], tree === undefined ? [] : [tree]),
    ...refer('agent', ['subagents'], fields.subagents),
    ...refer('rule', ['permissions', 'allow'], permissions.allow),
    ...refer('rule', ['permissions', 'ask'], permissions.ask),
    ...refer('rule', ['permissions', 'deny'], permissions.deny),
    ...refer('tool', ['auto_approve_tools'], fields.auto_approve_tools),
    ...refer('tool', ['disallowed_tools'], fields.disallowed_tools),
  ];
}

/** The value at a path; undefined for none and for a field without a value. */
export function at(given: unknown, path: Path): unknown {
  const found = path.reduce((map, key) => (isPlainObject(map) ? map[key] : undefined), given);
  return found ?? undefined;
}
