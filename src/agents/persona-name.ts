import { TypedError } from '../platform/typed-error.js';

const filePattern = /^AGENT_([A-Za-z0-9_]{1,64})\.md$/;
const mostNamesShown = 20;

/** Whether `name`, trimmed, is 1 to 64 of `A-Z a-z 0-9 _ -`. It says nothing about a file. */
export function isPersonaName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name.trim());
}

/** The name as files spell it: trimmed, `_` for `-`. */
export function canonicalPersonaName(name: string): string {
  return name.trim().replaceAll('-', '_');
}

/** The file of a persona below `agents/`. The name must have passed `isPersonaName`. */
export function personaFile(name: string): string {
  return `AGENT_${canonicalPersonaName(name)}.md`;
}

/** The persona a file of `agents/` holds; undefined for any other file. */
export function personaOfFile(file: string): string | undefined {
  return filePattern.exec(file)?.[1];
}

/** 404 `PERSONA_NOT_FOUND`, details `{persona, instructionRoot}`. */
export function personaNotFound(
  persona: string,
  instructionRoot: string,
  available: readonly string[],
): TypedError {
  return new TypedError('PERSONA_NOT_FOUND', {
    status: 404,
    message: `${describeFault(persona, available)} ${describeAvailable(available)}`,
    details: { persona, instructionRoot },
  });
}

function describeFault(persona: string, available: readonly string[]): string {
  if (!isPersonaName(persona)) return 'A persona name is 1 to 64 letters, digits, "_" or "-".';
  const name = canonicalPersonaName(persona);
  return available.includes(name)
    ? `Persona '${name}' is not a regular file inside the instruction root.`
    : `Persona '${name}' does not exist.`;
}

function describeAvailable(names: readonly string[]): string {
  if (names.length === 0) return 'The instruction root has no agents/AGENT_<NAME>.md file.';
  const more = names.length - mostNamesShown;
  const shown = names.slice(0, mostNamesShown).join(', ');
  return `Available: ${shown}${more > 0 ? ` and ${more} more` : ''}.`;
}
