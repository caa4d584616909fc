/**
 * A reason why a tag is no release, and what to do. Pure.
 *
 * @param {string} tag
 * @param {{version: string, createVersion: string, changelog: string}} of the versions in package.json and in that of
 * create-turnpike; the changelog's text
 * @returns {string | undefined}
 */
export function findReleaseFault(tag, { version, createVersion, changelog }) {
  if (tag !== `v${version}`) {
    return `The tag is ${JSON.stringify(tag)} and the version in package.json ${version}: tag v${version}, or change the version.`;
  }
  if (createVersion !== version) {
    return `create-turnpike has the version ${createVersion}, and its projects would install that of Turnpike: change it to ${version} in packages/create-turnpike/package.json.`;
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
