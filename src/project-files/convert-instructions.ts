import path from 'node:path';
import { splitFrontMatter } from '../platform/parsing/front-matter.js';
import type { Converted, Finding } from './finding.js';
import type { OpenProject } from './open-project.js';

/** Levels of imports inside of each other, as there. */
const MAX_HOPS = 4;
/** Characters of all instructions: they are in every prompt of the session. */
const MAX_CHARS = 65_536;

/** Files of instructions in the order in which the model reads them, with the rules of `.claude/rules` between them. */
const before = ['CLAUDE.md', '.claude/CLAUDE.md'];
const after = 'CLAUDE.local.md';
const RULES = '.claude/rules';
/** Notes of other products, for projects without a CLAUDE.md. */
const NOTES = 'AGENTS.md';

/** Instructions of one file, with what it imports after it. */
export interface Instruction {
  file: string;
  text: string;
}

/**
 * The instructions of a project: CLAUDE.md, or AGENTS.md where there is none, the rules of `.claude/rules`, then
 * CLAUDE.local.md. A line's `@path` imports a file of the project, relative to the file it stands in; what a HTML comment
 * says is for people.
 */
export async function readInstructions(project: OpenProject): Promise<Converted<Instruction[]>> {
  const reading: Reading = { project, seen: new Set(), chars: 0, value: [], findings: [] };
  for (const file of before) await take(reading, file, 0);
  if (reading.seen.size === 0) await take(reading, NOTES, 0);
  for (const file of await project.list(RULES)) {
    if (file.endsWith('.md')) await take(reading, file, 0);
  }
  await take(reading, after, 0);
  if (!reading.seen.has(NOTES) && (await project.read(NOTES)) !== undefined) {
    const how = 'it is not read beside a CLAUDE.md, here as there: import it there, as @AGENTS.md';
    reading.findings.push({ file: NOTES, verdict: 'same', how });
  }
  return { value: reading.value, findings: reading.findings };
}

interface Reading {
  project: OpenProject;
  seen: Set<string>;
  chars: number;
  value: Instruction[];
  findings: Finding[];
}

/** @returns whether there is such a file. */
async function take(reading: Reading, file: string, hops: number): Promise<boolean> {
  const { project, findings, value, seen } = reading;
  if (seen.has(file)) return true;
  const written = await project.read(file);
  if (written === undefined) return false;
  seen.add(file);
  if ('fault' in written) {
    findings.push({ file, verdict: 'refused', how: `it ${written.fault}` });
    return true;
  }
  const { fields, body, problems } = splitFrontMatter(written.text);
  const text = withoutComments(body);
  if (reading.chars + text.length > MAX_CHARS) {
    const how = `the instructions of a project have ${MAX_CHARS} characters at most, and this file is over them`;
    findings.push({ file, verdict: 'refused', how });
    return true;
  }
  reading.chars += text.length;
  const scope = scopeOf(fields['paths']);
  if (text !== '') value.push({ file, text: scope === undefined ? text : `${scope}\n\n${text}` });
  findings.push(
    ...problems.map(({ message }): Finding => ({ file, verdict: 'refused', how: message })),
    scope === undefined
      ? { file, verdict: 'same', how: 'it is part of the prompt' }
      : {
          file,
          key: 'paths',
          verdict: 'differs',
          how: 'it is in the prompt from the start on, with the paths that it is for',
        },
  );
  for (const name of importsOf(text)) await takeImport(reading, { file, name, hops: hops + 1 });
  return true;
}

async function takeImport(
  reading: Reading,
  { file, name, hops }: { file: string; name: string; hops: number },
): Promise<void> {
  const key = `@${name}`;
  const refuse = (how: string): void => {
    reading.findings.push({ file, key, verdict: 'refused', how });
  };
  if (name.startsWith('~') || path.isAbsolute(name)) {
    return refuse('it is outside of the project: copy it into the project');
  }
  const target = path.posix.join(path.posix.dirname(file), name);
  if (target.startsWith('..'))
    return refuse('it is outside of the project: copy it into the project');
  if (hops > MAX_HOPS) return refuse(`imports go ${MAX_HOPS} levels deep`);
  if (!(await take(reading, target, hops))) refuse(`there is no file ${target}`);
}

/** What a rule with `paths` is for, as a sentence for the model. */
function scopeOf(paths: unknown): string | undefined {
  const globs = (Array.isArray(paths) ? paths : [paths]).filter((one) => typeof one === 'string');
  return globs.length === 0 ? undefined : `For files that match ${globs.join(', ')}:`;
}

/** Without HTML comments of whole lines. What stands in a block of code stays. */
function withoutComments(text: string): string {
  const pieces = text.split(/^(```[\s\S]*?^```[^\S\n]*$)/m);
  return pieces
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replaceAll(/<!--[\s\S]*?-->\n?/g, '')))
    .join('')
    .trim();
}

/** The paths that a text imports, outside of code. */
function importsOf(text: string): string[] {
  const plain = text.replaceAll(/^```[\s\S]*?^```[^\S\n]*$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  const found = plain.matchAll(/(?:^|\s)@((?:\.{0,2}\/|~\/)?[\w.-]+(?:\/[\w.-]+)*)/g);
  const names = [...found].map(([, name = '']) => name.replace(/[.,;:]+$/, ''));
  // A person or a package is called with @, too: a path has a / or an ending.
  return [...new Set(names.filter((name) => /[/.]/.test(name)))];
}
