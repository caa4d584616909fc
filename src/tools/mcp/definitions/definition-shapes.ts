import path from 'node:path';
import * as z from 'zod/mini';
import { checkedBy } from '../../../parsing/shapes.js';

const longestText = 4_096;
const longestValue = 8_192;
const mostItems = 100;

/** Headers of HTTP itself or of the transport, which a definition may not set. */
const reservedHeaders =
  /^(host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|expect|keep-alive|accept|mcp-.*|proxy-.*)$/i;

const textOf = (most: number) => {
  const expected = `must be text of at most ${most} characters`;
  return z
    .string(expected)
    .check(z.refine((text) => text.length <= most && !text.includes('\0'), expected));
};

const text = textOf(longestText).check(
  z.refine((value) => value.trim() !== '', 'must be text that is not blank'),
);

const mapOf = (name: z.ZodMiniType<string, string>, value: z.ZodMiniType<string>) => {
  const expected = `must be a map of at most ${mostItems} texts`;
  return z._default(
    z
      .record(name, value, expected)
      .check(z.refine((map) => Object.keys(map).length <= mostItems, expected)),
    {},
  );
};

const listExpected = `must be a list of at most ${mostItems} texts`;
const texts = z._default(
  z.array(textOf(longestText), listExpected).check(z.maxLength(mostItems, listExpected)),
  [],
);

const env = mapOf(
  z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not the name of a variable')),
  textOf(longestValue),
);

const headers = mapOf(
  z.string().check(
    checkedBy((name) => {
      if (!/^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name)) return 'is not the name of a header';
      return reservedHeaders.test(name) ? 'is set by the protocol; leave it out' : undefined;
    }),
  ),
  textOf(longestValue).check(z.regex(/^[ -~\u0080-\u00ff]*$/, 'must be one line')),
);

const url = z.pipe(
  text.check(
    checkedBy((value) => {
      const { protocol = '', username, password } = URL.canParse(value) ? new URL(value) : {};
      if (!/^https?:$/.test(protocol)) return 'must be a URL, https://host/path';
      const isPlain = username === '' && password === '';
      return isPlain ? undefined : 'must not contain credentials; put them into headers';
    }),
  ),
  z.transform((value) => {
    const parsed = new URL(value);
    parsed.hash = '';
    return parsed.href;
  }),
);

const flag = z._default(z.boolean(), false);

const timeoutExpected = 'must be a number of milliseconds from 100 to 86400000';
const timeout = z
  .int(timeoutExpected)
  .check(z.gte(100, timeoutExpected), z.lte(86_400_000, timeoutExpected));

/**
 * `trustAnnotations` is the operator's alone; a session's connections are its own without `perSession`, and its calls
 * take no longer than all others.
 */
const traits = { trustAnnotations: flag, perSession: flag, timeout: z.exactOptional(timeout) };
const type = z.exactOptional(z.unknown());

const http = z.strictObject({ type, url, headers, ...traits });
const stdio = z.strictObject({
  type,
  command: text,
  args: texts,
  env,
  cwd: z.exactOptional(text.check(z.refine(path.isAbsolute, 'must be an absolute path'))),
  sessionEnv: texts,
  ...traits,
});

/** The fields of definitions by their author. */
export const httpShapes = {
  file: http,
  agent: z.omit(http, { trustAnnotations: true }),
  session: z.omit(http, { trustAnnotations: true, perSession: true, timeout: true }),
};
export const stdioShapes = {
  file: stdio,
  agent: z.omit(stdio, { trustAnnotations: true }),
  session: z.omit(stdio, {
    trustAnnotations: true,
    perSession: true,
    timeout: true,
    sessionEnv: true,
  }),
};

/** What a session gives to a server of its agent. */
export const credentialsShape = z.strictObject({ headers, env });
