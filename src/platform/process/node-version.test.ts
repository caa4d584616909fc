import { describe, expect, it } from '@jest/globals';
import { nodeFault } from './node-version.js';

describe('the Node that Turnpike runs on', () => {
  it.each(['22.12.0', '22.20.5', '24.0.0', '24.21.0', '26.10.0', '100.0.0'])('is %s', (version) => {
    expect(nodeFault(version)).toBeUndefined();
  });

  it.each(['18.20.8', '20.20.2', '22.9.0', '22.11.1'])('is not %s', (version) => {
    expect(nodeFault(version)).toMatch(
      new RegExp(
        `^Turnpike needs Node 22\\.12 or later, and this is ${version.replaceAll('.', String.raw`\.`)}\\. ` +
          String.raw`Install Node 24 from https://nodejs\.org/en/download, or bring one for this command alone:\n` +
          String.raw`  npx --package=node-[a-z0-9-]+@24 --package=turnpike turnpike\n$`,
      ),
    );
  });
});
