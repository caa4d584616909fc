import { describe, expect, it } from '@jest/globals';
import { exitCodeOf, explainFailure } from './render/explain-failure.js';
import { explainStartFailure } from './render/explain-start-failure.js';
import { parseCall } from './arguments.js';

const config = {
  options: { json: { type: 'boolean', default: false }, url: { type: 'string' } },
} as const;

function faultOf(args: readonly string[], allowPositionals = true): unknown {
  try {
    return parseCall(args, { ...config, allowPositionals });
  } catch (error) {
    return error;
  }
}

describe('parseCall', () => {
  it('gives options and arguments with their types', () => {
    const { values, positionals } = parseCall(['one', '--json'], {
      ...config,
      allowPositionals: true,
    });
    const { json, url }: { json: boolean; url?: string | undefined } = values;
    expect({ json, url, positionals }).toEqual({
      json: true,
      url: undefined,
      positionals: ['one'],
    });
  });

  it.each([
    [
      'an option that is not there',
      ['--wrong'],
      'There is no option --wrong. Options of this command: --json, --url.',
    ],
    ['an option without its value', ['--url'], 'The option --url needs a value.'],
    ['a value for a flag', ['--json=yes'], "Option '--json' does not take an argument"],
  ])('makes a wrong call of %s', (_what, args, message) => {
    const fault = faultOf(args);
    expect(exitCodeOf(fault)).toBe(2);
    expect(explainFailure(fault)).toContain(message);
    // Without the stack that a failed start has.
    expect(explainStartFailure(fault, {})).toBe(explainFailure(fault));
  });

  it('makes a wrong call of an argument where a command takes none', () => {
    expect(exitCodeOf(faultOf(['one'], false))).toBe(2);
  });
});
