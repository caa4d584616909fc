import { errorEntry, type ErrorCases, type ErrorCode } from './error-table.js';

/** An error of a route: a code, or a code and the case that the route gives. */
export type ListedError =
  | ErrorCode
  | { [Code in keyof ErrorCases]: `${Code}/${ErrorCases[Code] & string}` }[keyof ErrorCases];

export interface StatusErrors {
  status: number;
  codes: ErrorCode[];
  /** Markdown: each code of the status, with its meaning. */
  description: string;
}

/** The errors of a route by their status, in ascending order, in the words of the table. Pure. */
export function describeErrors(errors: readonly ListedError[]): StatusErrors[] {
  const described = [...new Set(errors)].map(describeError);
  const statuses = [...new Set(described.map(({ status }) => status))].toSorted((a, b) => a - b);
  return statuses.map((status) => {
    const found = described.filter((error) => error.status === status);
    return {
      status,
      codes: [...new Set(found.map(({ code }) => code))],
      description: found.map(({ line }) => line).join('\n\n'),
    };
  });
}

function describeError(listed: ListedError): { status: number; code: ErrorCode; line: string } {
  const [code, name] = listed.split('/') as [ErrorCode, string?];
  const entry = errorEntry(code);
  const found = name === undefined ? undefined : entry.cases?.[name];
  const line = found === undefined ? `\`${code}\`: ${entry.means}` : `\`${code}\`, ${found.means}.`;
  return { status: (found ?? entry).status, code, line };
}
