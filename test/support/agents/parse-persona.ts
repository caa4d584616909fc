import { parseAgentFile, type Persona } from '../../../src/agents/parse-agent-file.js';

/** The persona that a file of this name and content defines. */
export function parsePersona(name: string, file: string): Persona {
  return { name, file: `agents/${name}.md`, ...parseAgentFile(file).content };
}
