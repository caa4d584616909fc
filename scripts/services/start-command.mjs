import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const [, ...options] = scripts.start.split(' ');

/** The built server. */
export const serverScript = path.join(root, options.at(-1));

/** Node's options for the server, with which `npm start`, the image and the chart start it. @type {string[]} */
export const serverOptions = options.slice(0, -1);
