import { isPlainObject } from '../../../platform/json.js';
import { pickShellEnv } from '../../calls/pick-shell-env.js';
import type { FieldProblem } from './definition-fields.js';

type Environment = Readonly<Record<string, string | undefined>>;

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Puts variables of the environment in the place of `${NAME}`, in every text of a value. One that is
 * not set is a problem, and so is one of the server's own: its keys are for nobody else.
 */
export function expandVariables(
  value: unknown,
  environment: Environment,
): { value: unknown; problems: FieldProblem[] } {
  const problems: FieldProblem[] = [];
  const expand = (item: unknown, field: string): unknown => {
    const below = (key: string): string => (field === '' ? key : `${field}.${key}`);
    if (typeof item === 'string') {
      return item.replace(variable, (_whole, name: string) => {
        const found = pickShellEnv(environment, [name])[name];
        if (found === undefined) {
          const message = `names \${${name}}, which is not set, or is a key of this server itself`;
          problems.push({ field, message });
        }
        return found ?? '';
      });
    }
    if (Array.isArray(item)) return item.map((one, index) => expand(one, below(String(index))));
    if (!isPlainObject(item)) return item;
    return Object.fromEntries(
      Object.entries(item).map(([key, one]) => [key, expand(one, below(key))]),
    );
  };
  return { value: expand(value, ''), problems };
}
