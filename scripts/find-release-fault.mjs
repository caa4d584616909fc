/**
 * A reason why a tag is no release, and what to do. Pure.
 *
 * @param {string} tag
 * @param {{version: string, changelog: string}} of the version in package.json; the changelog's text
 * @returns {string | undefined}
 */
export function findReleaseFault(tag, { version, changelog }) {
  if (tag !== `v${version}`) {
    return `The tag is ${JSON.stringify(tag)} and the version in package.json ${version}: tag v${version}, or change the version.`;
  }
  const headings = [...changelog.matchAll(/^## (.*)$/gm)];
  const at = headings.findIndex(([, heading = '']) => heading !== 'Unreleased');
  const [, newest = 'none'] = headings[at] ?? [];
  if (!/^\d{4}-\d\d-\d\d$/.test(newest.replace(`${version} - `, ''))) {
    return `The newest release in CHANGELOG.md is ${JSON.stringify(newest)}: write "## ${version} - YYYY-MM-DD" over what is in it.`;
  }
  const text = changelog.slice(headings[at].index, headings[at + 1]?.index);
  if (!/^- /m.test(text)) return `CHANGELOG.md says nothing about ${version}.`;
  return undefined;
}
