import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@jest/globals';
import type { FollowedTurn } from '../clients/followed-turn.js';
import { expectSoon } from '../expect-soon.js';
import { result, statusesOf, success } from './crash-lines.js';
import type { CrashScene } from './crash-scene.js';
import type { CrashPoint } from './crash-series.js';

/** Writes the scene's skill. @param limits further lines of its front matter. */
async function put(
  { tag, instructions }: CrashScene,
  body: string,
  limits = 'allowed-tools: glob\n',
): Promise<void> {
  const folder = path.join(instructions, 'skills', tag);
  await mkdir(folder, { recursive: true });
  const head = `---\nname: ${tag}\ndescription: Of ${tag}.\n${limits}---\n`;
  await writeFile(path.join(folder, 'SKILL.md'), head + body);
}

/** Writes the scene's skill, and waits until turns that begin have it: edits are seen within a second. */
async function offer(scene: CrashScene, body: string): Promise<void> {
  await put(scene, body);
  await expectSoon(async () => {
    const { body: listed } = await scene.client.get('/api/harness/skills');
    expect(listed['skills']).toContainEqual(expect.objectContaining({ name: scene.tag }));
  });
}

const load = ({ tag }: CrashScene): string => `[[tool=load_skill {"name":"${tag}"}]]`;
const opts = { tools: ['bash', 'glob', 'load_skill'] };
const outputsOf = (turn: FollowedTurn) =>
  turn.named('tool:result').map(({ data }) => String(data['output']));

/** Lines of a call that loads a skill. Each point has a skill of its own name. */
export const skillPoints: Readonly<Record<string, CrashPoint>> = {
  whole: {
    line: 'before the instructions are stored: they are loaded again, the same, and narrow the turn as before',
    stops: [result],
    async *play(scene) {
      await offer(scene, 'Whole.');
      const turn = await scene.send(
        `${load(scene)} [[tool=bash {"command":"echo ran >> whole.txt"} step=2]]`,
        { opts, persona: 'SHELL' },
      );
      await scene.stopped();
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['success', 'denied']);
      expect(outputsOf(turn)[0]).toContain('Whole.');
      expect(turn.named('tool:start')).toHaveLength(1);
      expect(await scene.runs()).toBe(0);
    },
  },
  edited: {
    line: 'before the instructions are stored, and the file is edited: the model is told so, and gets no other version',
    stops: [result],
    async *play(scene) {
      await offer(scene, 'Edited.');
      const turn = await scene.send(load(scene), { opts });
      await scene.stopped();
      await put(scene, 'Another text.');
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['error']);
      expect(outputsOf(turn)[0]).toContain('has changed since it was listed');
      const next = await scene.send(load(scene), { opts, sessionId: turn.sessionId });
      expect(await next.exit()).toEqual(success);
      expect(outputsOf(next)[0]).toContain('Another text.');
    },
  },
  later: {
    line: 'after the instructions are stored, and the file is edited: the turn stays narrowed as it was',
    stops: [
      {
        table: 'tool_calls',
        on: 'insert',
        when: "new.status <> 'claimed' and new.name <> 'load_skill'",
      },
    ],
    async *play(scene) {
      await offer(scene, 'Later.');
      const turn = await scene.send(
        `${load(scene)} [[tool=bash {"command":"echo ran >> later.txt"} step=2]]`,
        { opts, persona: 'SHELL' },
      );
      await scene.stopped();
      await put(scene, 'Free.', '');
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['success', 'denied']);
      expect(await scene.runs()).toBe(0);
    },
  },
};
