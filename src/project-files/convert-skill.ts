import path from 'node:path';
import { isSkillName, parseSkillFile, type SkillText } from '../agents/skill-file.js';
import { isPlainObject } from '../platform/json.js';
import { splitFrontMatter } from '../platform/parsing/front-matter.js';
import type { WrittenText } from '../platform/text/written-text.js';
import type { Finding } from './finding.js';

/** A text that a person puts into a message by its name: a command, or a skill that people may call. */
export interface ProjectPrompt {
  name: string;
  description: string;
  /** What may follow the name, for people: `[issue]`. */
  hint?: string;
  /** The names of its arguments, in their order. */
  arguments: readonly string[];
  template: string;
}

/** A skill or a command of a project. */
export interface ConvertedSkill {
  /** Absent: the model loads it not by itself, or it is refused. */
  skill?: SkillText;
  /** Absent: people do not call it, or it is refused. */
  prompt?: ProjectPrompt;
  findings: Finding[];
}

type Found = Omit<Finding, 'file'>;

const refused = (key: string, how: string): Found => ({ key, verdict: 'refused', how });
const differs = (key: string, how: string): Found => ({ key, verdict: 'differs', how });

/** Fields that change what a skill does: one that we do not honour refuses the skill. */
const whole: Readonly<Record<string, string>> = {
  context: 'a skill runs in the turn that loads it: make it an agent of .claude/agents',
  agent: 'a skill runs in the turn that loads it: make it an agent of .claude/agents',
  hooks: 'they would run as the server',
  shell: 'commands of a skill would run as the server',
  'disallowed-tools':
    'a skill cannot take tools away: list those that it may call in allowed-tools',
};

const known: Readonly<Record<string, (value: unknown) => Found[]>> = {
  name: () => [],
  description: () => [],
  when_to_use: () => [{ key: 'when_to_use', verdict: 'mapped', how: 'it follows the description' }],
  'argument-hint': () => [],
  arguments: () => [],
  'user-invocable': () => [],
  'disable-model-invocation': () => [],
  'allowed-tools': () => [
    differs(
      'allowed-tools',
      'there, these calls run unasked; here, a turn that has loaded the skill may make no others',
    ),
  ],
  model: () => [refused('model', 'a skill runs with the model of its turn')],
  effort: () => [refused('effort', 'a skill runs with the effort of its turn')],
  paths: () => [differs('paths', 'the model may load it for any file')],
  license: () => [],
  compatibility: () => [],
  metadata: () => [],
  version: () => [],
};

/**
 * Converts a skill of `.claude/skills` or a command of `.claude/commands`. One that runs commands while it is read
 * (`` !`…` ``) is refused: they would run as the server. Pure.
 *
 * @param name that of its folder, or of its file.
 */
export function convertSkill(
  written: WrittenText,
  { file, name, kind }: { file: string; name: string; kind: 'skill' | 'command' },
): ConvertedSkill {
  const refuse = (how: string, more: Found[] = []): ConvertedSkill => ({
    findings: [...more.map((one) => ({ file, ...one })), { file, verdict: 'refused', how }],
  });
  if ('fault' in written) return refuse(`it ${written.fault}`);
  const { fields, body, problems } = splitFrontMatter(written.text);
  const [problem] = problems;
  if (problem !== undefined) return refuse(`line ${problem.line}: ${problem.message}`);
  if (!isSkillName(name))
    return refuse(`its name must be 1 to 64 of a-z, 0-9 and -: ${name} is none`);
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  const findings = given.flatMap(([key, value]): Found[] => {
    if (Object.hasOwn(whole, key)) return [refused(key, whole[key] ?? '')];
    const judge = Object.hasOwn(known, key) ? known[key] : undefined;
    return judge?.(value) ?? [refused(key, 'it is not known here')];
  });
  const heavy = findings.find(({ key }) => Object.hasOwn(whole, key ?? ''));
  if (heavy !== undefined)
    return refuse(`${heavy.key ?? ''} changes what it does, and is not taken`, findings);
  if (/!`[^`\n]+`/.test(body) || /^```!/m.test(body)) {
    return refuse(
      'it runs commands while it is read, which would be the server’s: tell the model to run them',
      findings,
    );
  }
  const description = describe(fields, body);
  if (body === '' || description === undefined) return refuse('it is empty', findings);
  const prompt = promptOf(fields, { name, description, body });
  const isForModel = kind === 'skill' && fields['disable-model-invocation'] !== true;
  const isForPeople = kind === 'command' || fields['user-invocable'] !== false;
  const parsed = isForModel ? parse(fields, { name, description, body }) : undefined;
  const [fault] = parsed?.faults ?? [];
  if (fault !== undefined) return refuse(fault.message, findings);
  const skill = parsed?.skill;
  const uses = [...(skill ? ['a skill'] : []), ...(isForPeople ? [`the prompt /${name}`] : [])];
  const how = uses.length === 0 ? 'nobody may call it' : uses.join(', and ');
  return {
    ...(skill && { skill }),
    ...(isForPeople && { prompt }),
    findings: [
      { file, verdict: kind === 'command' ? 'mapped' : 'same', how },
      ...findings.map((one) => ({ file, ...one })),
    ],
  };
}

/** The name of a command's file: that of its folders does not count, as there. */
export function commandName(file: string): string {
  return path.posix.basename(file, '.md');
}

function describe(fields: Record<string, unknown>, body: string): string | undefined {
  const own = fields['description'];
  const [first] = body.split('\n').filter((line) => line.trim() !== '');
  const text = typeof own === 'string' ? own : first?.replace(/^#+\s*/, '');
  const when = fields['when_to_use'];
  const all = [text, ...(typeof when === 'string' ? [when] : [])].filter(
    (one) => one !== undefined,
  );
  const said = all.join(' ').replaceAll(/\s+/g, ' ').trim().slice(0, 1_024);
  return said === '' ? undefined : said;
}

interface Texts {
  name: string;
  description: string;
  body: string;
}

/** The skill as its file would be here. */
function parse(fields: Record<string, unknown>, { name, description, body }: Texts) {
  const { license, compatibility, metadata } = fields;
  const kept = {
    name,
    description,
    license,
    compatibility,
    metadata,
    'allowed-tools': fields['allowed-tools'],
  };
  const given = Object.entries(kept).filter(([, value]) => value !== undefined && value !== null);
  // JSON is YAML.
  return parseSkillFile(`---\n${JSON.stringify(Object.fromEntries(given))}\n---\n\n${body}\n`);
}

function promptOf(
  fields: Record<string, unknown>,
  { name, description, body }: Texts,
): ProjectPrompt {
  const hint = fields['argument-hint'];
  const named = fields['arguments'];
  const names = typeof named === 'string' ? named.split(/[\s,]+/) : named;
  const list = Array.isArray(names) ? names.map(nameOfArgument) : [];
  return {
    name,
    description,
    ...(typeof hint === 'string' && { hint }),
    arguments: list.filter((one) => one !== undefined),
    template: body,
  };
}

function nameOfArgument(given: unknown): string | undefined {
  const name: unknown = isPlainObject(given) ? given['name'] : given;
  return typeof name === 'string' && /^\w+$/.test(name) ? name : undefined;
}

/**
 * The text of a prompt with what was given to it: `$ARGUMENTS` is all of it, `$1` or `$ARGUMENTS[0]` its first word or
 * quoted text, `$name` that of a named argument. A text without a place for it has it at its end. Pure.
 */
export function fillPrompt({ template, arguments: names }: ProjectPrompt, given: string): string {
  const words = [...given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
  let isUsed = false;
  const use = (text: string | undefined): string => {
    isUsed = true;
    return text ?? '';
  };
  const filled = template.replaceAll(
    /\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS|\$(\d)|\$([A-Za-z_]\w*)/g,
    (whole, index?: string, nth?: string, name?: string) => {
      if (index !== undefined) return use(words[Number(index)]);
      if (whole === '$ARGUMENTS') return use(given);
      if (nth !== undefined) return use(words[Number(nth) - 1]);
      const at = names.indexOf(name ?? '');
      return at === -1 ? whole : use(words[at]);
    },
  );
  return isUsed || given.trim() === '' ? filled : `${filled}\n\nARGUMENTS: ${given}`;
}
