import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../suite.js';

const program = fileURLToPath(new URL('recording-server.mjs', import.meta.url));

interface Line {
  pid?: number;
  id?: number | string;
  method?: string;
  params?: { requestId?: number | string };
}

/** A server over stdio that answers no call, and what it was sent. */
export interface RecordingServer {
  definition: { command: string; args: string[] };
  lines(): Line[];
  /** The first message of a method; undefined: none came. */
  sent(method: string): Line | undefined;
}

/** @param how `stays`: it does not end with its input. */
export function recordingServer(...how: 'stays'[]): RecordingServer {
  const file = path.join(newFolder(), 'lines.txt');
  writeFileSync(file, '');
  const lines = (): Line[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  return {
    definition: { command: process.execPath, args: [program, file, ...how] },
    lines,
    sent: (method) => lines().find((line) => line.method === method),
  };
}
