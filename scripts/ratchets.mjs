/**
 * `npm run ratchets`: numbers of the house that may only fall, against `scripts/ratchets/limits.json`. A number that fell is
 * written down by `npm run ratchets -- --write`, so that it stays there.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import {
  facesForWires,
  largestFunction,
  listSources,
  measureHouse,
} from './ratchets/measure-house.mjs';

const file = new URL('./ratchets/limits.json', import.meta.url);

/** What each number counts. */
const meanings = {
  plainTurnFiles: 'files that a plain turn passes',
  plainTurnLines: 'lines of these files',
  largestFunction: 'lines of the largest function in src',
  doors: 'patterns of doors in .dependency-cruiser.cjs',
  facesForWires: 'files outside of wires/ that wires import',
};

const limits = JSON.parse(readFileSync(file, 'utf8'));
const limitOf = (name) => limits[name] ?? Infinity;
const numbers = measureHouse();
for (const [name, meaning] of Object.entries(meanings)) {
  console.log(`${String(numbers[name]).padStart(6)} ${meaning} (limit ${limitOf(name)})`);
}
if (process.argv.includes('--list')) {
  const { name, file: where, lines } = largestFunction(listSources());
  console.log(`The largest function: ${name} in ${where}, ${lines} lines.`);
  console.log(facesForWires(listSources()).join('\n'));
}
const names = Object.keys(meanings);
const higher = names.filter((name) => numbers[name] > limitOf(name));
const lower = names.filter((name) => numbers[name] < limitOf(name));
if (higher.length > 0) {
  console.error(`Higher than before: ${higher.map((name) => meanings[name]).join('; ')}.`);
  console.error('Make it less, or say in the commit why the limit in limits.json has to rise.');
  process.exitCode = 1;
} else if (lower.length > 0) {
  const kept = Object.fromEntries(names.map((name) => [name, numbers[name]]));
  if (process.argv.includes('--write')) writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
  else {
    console.error('Lower than the limit: write it down with `npm run ratchets -- --write`.');
    process.exitCode = 1;
  }
}
