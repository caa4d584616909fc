import { errorEntry, type ErrorCases, type ErrorCode } from './error-table.js';

/** An error of a route: a code, or a code and the case that the route gives. */
export type ListedError =
  | ErrorCode
  | { [Code in keyof ErrorCases]: `${Code}/${ErrorCases[Code] & string}` }[keyof ErrorCases];

export interface StatusErrors {
  status: number;
  /** Markdown: each code of the status, with its meaning. */
  description: string;
}

/** The errors of a route by their status, in ascending order, in the words of the table. Pure. */
export function describeErrors(errors: readonly ListedError[]): StatusErrors[] {
  const byStatus = new Map<number, string[]>();
  for (const { status, line } of errors.map(describeError)) {
    byStatus.set(status, [...(byStatus.get(status) ?? []), line]);
  }
  return [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, lines]) => ({ status, description: lines.join('\n\n') }));
}

function describeError(listed: ListedError): { status: number; line: string } {
  const [code, name] = listed.split('/') as [ErrorCode, string?];
  const entry = errorEntry(code);
  const found = name === undefined ? undefined : entry.cases?.[name];
  const line = found === undefined ? `\`${code}\`: ${entry.means}` : `\`${code}\`, ${found.means}.`;
  return { status: (found ?? entry).status, line };
}
