import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { useServer } from '../../support/processes/start-server.js';

const root = new URL('../../../', import.meta.url);
const example = fileURLToPath(new URL('examples/skills/release-notes', root));
const git = promisify(execFile).bind(undefined, 'git');

const call = (step: number, name: string, input: object): string =>
  `[[tool=${name} ${JSON.stringify(input)} step=${step}]]`;

describe('the example of a skill', () => {
  const instructions = instructionRootWith({
    WRITER: ['tools: [bash, read, write]', 'permissions: {allow: ["bash(git *)", write]}'],
  });
  const server = useServer(async () => {
    await cp(example, path.join(instructions, 'skills/release-notes'), { recursive: true });
    return { environment: { TURNPIKE_INSTRUCTION_ROOT: instructions } };
  });
  beforeAll(async () => {
    const cwd = server.projectRoot;
    const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
    await git(['init', '-q'], { cwd });
    await git([...author, 'commit', '-q', '--allow-empty', '-m', 'feat: the first'], { cwd });
    await git(['tag', 'v1'], { cwd });
    await git([...author, 'commit', '-q', '--allow-empty', '-m', 'fix: a wrong limit'], { cwd });
  });

  it('is the one that the guide shows', async () => {
    const guide = await readFile(new URL('docs/guide/skills.md', root), 'utf8');
    const skill = await readFile(path.join(example, 'SKILL.md'), 'utf8');
    expect(guide).toContain(`\`\`\`markdown\n${skill}\`\`\`\n`);
  });

  it('is loaded, has its commands run and its style read, and denies every other call', async () => {
    const session = await server.client.createSession(server.projectRoot, { persona: 'WRITER' });
    const message = [
      call(1, 'load_skill', { name: 'release-notes' }),
      call(2, 'bash', { command: 'git describe --tags --abbrev=0' }),
      call(3, 'bash', { command: "git log --no-merges --format='%h %s%n%b' v1..HEAD" }),
      call(4, 'read_skill_file', { name: 'release-notes', path: 'style.md' }),
      call(5, 'write', { file_path: 'NOTES.md', content: 'No.' }),
    ].join(' ');
    const stream = await server.client.turn(session, message);
    const results = (await stream.all())
      .filter(({ event }) => event === 'tool:result')
      .map(({ data }) => [data['status'], String(data['output'])]);
    expect(results).toEqual([
      ['success', expect.stringContaining('Find the two ends')],
      ['success', expect.stringContaining('v1')],
      ['success', expect.stringContaining('fix: a wrong limit')],
      ['success', expect.stringContaining('Style of release notes')],
      ['denied', expect.stringContaining('release-notes')],
    ]);
  });
});
