import { readFile } from 'node:fs/promises';
import { LineCounter, parseDocument } from 'yaml';
import { lineOf, linesOf } from '../agents/field-lines.js';
import type { RuleTool } from '../governance/permission-subject.js';
import type { PermissionRules } from '../storage/shapes/stored-permissions.js';
import { validatePermissionRules } from '../governance/permissions/validate-permission-rules.js';
import { errorCode } from '../platform/error-code.js';

/** The server's policy is invalid; the message lists the faults by line. */
export class PermissionsInvalidError extends Error {
  constructor(file: string, problems: readonly { line: number; message: string }[]) {
    const lines = problems.map(({ line, message }) => `  - ${file}:${line}: ${message}`);
    super(
      `The permissions of TURNPIKE_PERMISSIONS_FILE are not valid:\n${lines.join('\n')}\nCorrect the file, and start again.`,
    );
    this.name = 'PermissionsInvalidError';
  }
}

/**
 * Loads the server's policy for tools: a file of YAML or JSON with `allow`, `ask` and `deny`.
 *
 * @param file undefined: no rules.
 * @throws PermissionsInvalidError that lists every fault with its line.
 */
export async function loadPermissions(
  file: string | undefined,
  tools: readonly RuleTool[],
): Promise<PermissionRules> {
  if (file === undefined) return {};
  const counter = new LineCounter();
  const document = parseDocument(await loadText(file), {
    logLevel: 'silent',
    prettyErrors: false,
    lineCounter: counter,
  });
  const [error] = document.errors;
  if (error) {
    const { line } = counter.linePos(error.pos[0]);
    throw new PermissionsInvalidError(file, [{ line, message: `it is no YAML: ${error.message}` }]);
  }
  const lines = linesOf(document.contents, counter);
  const { rules, faults } = validatePermissionRules(valueOf(document) ?? {}, tools);
  if (faults.length === 0) return rules;
  const problems = faults.map(({ field, message }) => ({
    line: lineOf(lines, field),
    message: `${field === '' ? 'the file' : field} ${message}`,
  }));
  throw new PermissionsInvalidError(
    file,
    problems.sort((a, b) => a.line - b.line),
  );
}

/** The document's value; aliases that expand too far give a list, which is no valid policy. */
function valueOf(document: { toJS(): unknown }): unknown {
  try {
    return document.toJS();
  } catch {
    return [];
  }
}

async function loadText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const message = `this file cannot be read (${code}); check its path and permissions`;
    throw new PermissionsInvalidError(file, [{ line: 1, message }]);
  }
}
