import { expect, it } from '@jest/globals';
import { createTurnpike } from './create-turnpike.js';

it.each<[object, RegExp]>([
  [
    { databaseURL: 'postgres://a' },
    /databaseURL is not an option of createTurnpike; did you mean databaseUrl\?/,
  ],
  [
    { loger: undefined, authentication: () => undefined },
    /authentication is not an option of createTurnpike; (did|they)/,
  ],
  [{ port: 3_000 }, /port is not an option of createTurnpike; they are dataDir, databaseUrl, /],
  [{ TURNPIKE_MODEL: 'x' }, /TURNPIKE_MODEL is a setting; give it in settings/],
])('createTurnpike takes no option that it does not know: %j', async (more, message) => {
  await expect(createTurnpike({ dataDir: '/nowhere', ...more })).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringMatching(message),
  });
});
