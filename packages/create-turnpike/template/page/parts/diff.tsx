import { diffLines } from 'diff';

export interface Change {
  before: string;
  after: string;
}

/** Fields of a tool's input that say what was, and what will be. A tool with other names is shown by its fields. */
const pairs = [
  ['old_string', 'new_string'],
  ['before', 'after'],
  ['from', 'to'],
] as const;

/** What a call would change, and the other fields of its input. */
export function changeOf(input: unknown): { change?: Change; others: [string, unknown][] } {
  const fields = Object.entries((input ?? {}) as Record<string, unknown>);
  const textOf = (name: string) => fields.find(([field]) => field === name)?.[1];
  for (const names of [...pairs, [undefined, 'content'] as const]) {
    const [before, after] = names.map((name) => (name === undefined ? '' : textOf(name)));
    if (typeof before !== 'string' || typeof after !== 'string') continue;
    const others = fields.filter(([field]) => !names.some((name) => name === field));
    return { change: { before, after }, others };
  }
  return { others: fields };
}

/** Lines that go, and lines that come. Long ones wrap: a person approves what they can read. */
export function Diff({ before, after }: Change) {
  const changes = diffLines(ended(before), ended(after));
  return (
    <pre className="diff" tabIndex={0} aria-label="Changes">
      {changes.flatMap(({ value, added, removed }, index) =>
        value
          .replace(/\n$/, '')
          .split('\n')
          .map((line, at) => {
            const kind = added ? 'added' : removed ? 'removed' : 'same';
            return (
              <span
                key={`${index}.${at}`}
                className={kind}
                data-sign={{ added: '+', removed: '−', same: ' ' }[kind]}
              >
                {line}
              </span>
            );
          }),
      )}
    </pre>
  );
}

/** A last line without its end would differ from the same line with one. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
