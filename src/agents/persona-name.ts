import { TypedError } from '../errors/typed-error.js';

/** The persona of sessions that name none. */
export const DEFAULT_PERSONA = 'WORKING_ITEMS';

const prefix = 'AGENT_';
const MAX_NAMES_SHOWN = 20;
/** Characters of an invalid name that an error repeats. */
const MAX_SHOWN_CHARS = 200;

/** Whether `name`, trimmed, is 1 to 64 of `A-Z a-z 0-9 _ -`; its file need not exist. */
export function isPersonaName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name.trim());
}

/** The canonical form of a name, for comparison: trimmed, with `_` for `-`. */
export function canonicalPersonaName(name: string): string {
  return name.trim().replaceAll('-', '_');
}

/**
 * The name of the persona in a file of `agents/`: `AGENT_<NAME>.md` or `<name>.md`. Undefined for any
 * other file, and for README.md.
 */
export function personaOfFile(file: string): string | undefined {
  if (!file.endsWith('.md') || file.toLowerCase() === 'readme.md') return undefined;
  const stem = file.slice(0, -'.md'.length);
  const name = stem.startsWith(prefix) ? stem.slice(prefix.length) : stem;
  return isPersonaName(name) && name === name.trim() ? canonicalPersonaName(name) : undefined;
}

/**
 * A better name for a Markdown file of `agents/` that is ignored for its name. Undefined for the file of an
 * agent, for README.md, and for other files.
 */
export function betterFileName(file: string): string | undefined {
  const [, stem] = /^(.*)\.(?:md|markdown)$/i.exec(file) ?? [];
  if (stem === undefined || stem.toLowerCase() === 'readme') return undefined;
  if (personaOfFile(file) !== undefined) return undefined;
  const plain = stem.replaceAll('ß', 'ss').normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const name = plain
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 64);
  return `${/[A-Za-z0-9]/.test(name) ? name : 'name'}.md`;
}

/**
 * The names that match `name`: the exact match alone, else all that differ in case only. More than one
 * result is ambiguous.
 */
export function namesLike(name: string, names: readonly string[]): string[] {
  const wanted = canonicalPersonaName(name);
  if (names.includes(wanted)) return [wanted];
  return names.filter((one) => one.toLowerCase() === wanted.toLowerCase());
}

/** 404 `PERSONA_NOT_FOUND`, details `{persona, instructionRoot}`. */
export function personaNotFound(
  persona: string,
  instructionRoot: string,
  available: readonly string[],
): TypedError {
  return new TypedError('PERSONA_NOT_FOUND', {
    message: `${describeFault(persona, available)} ${describeAvailable(persona, available)}`,
    details: { persona: persona.slice(0, MAX_SHOWN_CHARS), instructionRoot },
  });
}

function describeFault(persona: string, available: readonly string[]): string {
  if (!isPersonaName(persona)) return 'A persona name is 1 to 64 letters, digits, "_" or "-".';
  const like = namesLike(persona, available);
  const name = canonicalPersonaName(persona);
  if (like.length === 0) {
    const isDefault = name === DEFAULT_PERSONA ? ', the default,' : '';
    return `Persona '${name}'${isDefault} does not exist.`;
  }
  return like.length === 1
    ? `Persona '${like[0]}' is not a regular file inside the instruction root.`
    : `Persona '${name}' may be ${like.join(' or ')}: use one of these spellings.`;
}

function describeAvailable(persona: string, names: readonly string[]): string {
  if (names.length === 0) return 'The instruction root has no file agents/NAME.md.';
  const more = names.length - MAX_NAMES_SHOWN;
  const shown = names.slice(0, MAX_NAMES_SHOWN).join(', ');
  const all = `${shown}${more > 0 ? ` and ${more} more` : ''}`;
  if (canonicalPersonaName(persona) !== DEFAULT_PERSONA) return `Available: ${all}.`;
  // Nobody typed the default's name.
  return `Name an agent that does: ${all} (in a command: --agent ${names[0]}).`;
}
