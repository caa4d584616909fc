import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { unlessGone } from '../platform/error-code.js';
import { readWritten } from '../platform/text/written-text.js';
import { addSettings, noSettings } from './convert-settings.js';
import type { Finding } from './finding.js';

export interface Machine {
  /** The home of the person. */
  home: string;
  /** The file with the settings of whoever manages the machine. */
  managed: string;
  /** The project, for rules with paths. */
  project: string;
}

/** Where the managed settings of a system are. */
export function managedSettings(platform: NodeJS.Platform): string {
  return platform === 'darwin'
    ? '/Library/Application Support/ClaudeCode/managed-settings.json'
    : '/etc/claude-code/managed-settings.json';
}

/**
 * What this machine and this person add to a project there: the layers of settings above and below the project's, and
 * the person's own instructions. No server takes them from there: they are the operator's, in `TURNPIKE_PERMISSIONS_FILE`.
 */
export async function readMachine({ home, managed, project }: Machine): Promise<Finding[]> {
  const own = path.join(home, '.claude');
  const layers = [
    { file: managed, settings: path.dirname(managed) },
    { file: path.join(own, 'settings.json'), settings: own },
  ];
  const found = layers.map(async ({ file, settings }): Promise<Finding[]> => {
    const bytes = await unlessGone(readFile(file));
    if (bytes === undefined) return [];
    const place = { project, settings, home };
    const { findings } = addSettings(noSettings(), readWritten(bytes), { file, place });
    return findings.map(ofMachine);
  });
  const instructions = path.join(own, 'CLAUDE.md');
  const note = await unlessGone(readFile(instructions));
  const all = (await Promise.all(found)).flat();
  if (note === undefined) return all;
  const how =
    'it is of this person and this machine: write what a project needs into its CLAUDE.md';
  return [...all, { file: instructions, verdict: 'refused', how }];
}

function ofMachine(finding: Finding): Finding {
  if (finding.verdict === 'refused') return finding;
  return {
    ...finding,
    verdict: 'differs',
    how: `${finding.how} (not from this file: the operator writes it into TURNPIKE_PERMISSIONS_FILE or the server’s variables)`,
  };
}
