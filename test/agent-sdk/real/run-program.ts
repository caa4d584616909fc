/**
 * The process of one program of `programs/`: `run-program.ts FILE SDK [USER]`. FILE is a copy that `USER` may read; SDK is
 * the module that takes the place of the real one's name. It works in the folder where it is started.
 */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { becomeUser } from './own-user.js';

const [file = '', sdk = '', user] = process.argv.slice(2);
const sdkUrl = pathToFileURL(sdk).href;

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === '@anthropic-ai/claude-agent-sdk') return { url: sdkUrl, shortCircuit: true };
    // The program's own packages are those beside the SDK.
    const isOwn = context.parentURL === programUrl && /^[a-z@]/.test(specifier);
    return next(specifier, isOwn ? { ...context, parentURL: sdkUrl } : context);
  },
});

const programUrl = pathToFileURL(file).href;
if (user !== undefined) becomeUser(Number(user));
await import(programUrl);
process.exit();
