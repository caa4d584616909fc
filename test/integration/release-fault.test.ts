import { expect, it } from '@jest/globals';
import { findReleaseFault } from '../../scripts/find-release-fault.mjs';

const changelog =
  '# Changelog\n\n## 0.2.0 - 2026-12-01\n\n- New.\n\n## 0.1.0 - 2026-11-01\n\n- Old.\n';

it('takes a tag of the version that the changelog describes', () => {
  expect(
    findReleaseFault('v0.2.0', { version: '0.2.0', createVersion: '0.2.0', changelog }),
  ).toBeUndefined();
  const next = changelog.replace('\n## 0.2.0', '\n## Unreleased\n\n## 0.2.0');
  expect(
    findReleaseFault('v0.2.0', { version: '0.2.0', createVersion: '0.2.0', changelog: next }),
  ).toBeUndefined();
});

it.each([
  ['v0.2.1', '0.2.0', changelog, 'tag v0.2.0, or change the version'],
  ['0.2.0', '0.2.0', changelog, 'tag v0.2.0'],
  ['v0.3.0', '0.3.0', changelog, 'write "## 0.3.0 - YYYY-MM-DD"'],
  ['v0.3.0', '0.3.0', '## Unreleased\n\n- New.\n', 'is "none"'],
  ['v0.2.0', '0.2.0', changelog.replace('- New.', ''), 'says nothing about 0.2.0'],
])('refuses the tag %s of version %s', (tag, version, text, words) => {
  const of = { version, createVersion: version, changelog: text };
  expect(findReleaseFault(tag, of)).toContain(words);
});

it('refuses a tag where create-turnpike was forgotten', () => {
  const of = { version: '0.2.0', createVersion: '0.1.0', changelog };
  expect(findReleaseFault('v0.2.0', of)).toContain(
    'change it to 0.2.0 in packages/create-turnpike',
  );
});
