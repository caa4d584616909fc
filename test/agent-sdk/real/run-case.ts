/**
 * The process of one case on the real SDK: `run-case.ts GROUP NAME SDK FOLDER [USER]`. It prints what happens, one JSON
 * a line, and works as `USER` from the moment when all code is loaded: that user may not reach this clone.
 */
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import type { AgentSdk } from '../agent-sdk.js';
import { findCase } from '../cases/groups.js';
import { recordCase } from '../record.js';
import { becomeUser } from './own-user.js';

const [group = '', name = '', sdkFile = '', folder = '', user] = process.argv.slice(2);
const found = findCase(group, name);
const sdk = (await import(pathToFileURL(sdkFile).href)) as AgentSdk;
if (user !== undefined) becomeUser(Number(user));
process.chdir(folder);
await recordCase(found, sdk, folder, (told) => process.stdout.write(`${JSON.stringify(told)}\n`));
// Its child may hold the event loop.
if (process.stdout.writableLength > 0) await once(process.stdout, 'drain');
process.exit();
