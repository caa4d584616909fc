import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { result, statusesOf, success } from '../support/crash/crash-lines.js';
import { CrashSeries, type CrashPoint } from '../support/crash/crash-series.js';

let root: string;

async function put(name: string, body: string): Promise<void> {
  await mkdir(path.join(root, 'skills', name), { recursive: true });
  const head = `---\nname: ${name}\ndescription: Of ${name}.\nallowed-tools: glob\n---\n`;
  await writeFile(path.join(root, 'skills', name, 'SKILL.md'), head + body);
}

const load = (name: string): string => `[[tool=load_skill {"name":"${name}"}]]`;
const opts = { tools: ['bash', 'glob', 'load_skill'] };
const outputsOf = (turn: { named(event: string): { data: Record<string, unknown> }[] }) =>
  turn.named('tool:result').map(({ data }) => String(data['output']));

const points: Record<string, CrashPoint> = {
  whole: {
    line: 'before the instructions are stored: they are loaded again, the same, and narrow the turn as before',
    stops: [result],
    async *play(scene) {
      const turn = await scene.send(
        `${load('whole')} [[tool=bash {"command":"echo ran >> whole.txt"} step=2]]`,
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
      const turn = await scene.send(load('edited'), { opts });
      await scene.stopped();
      await put('edited', 'Another text.');
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['error']);
      expect(outputsOf(turn)[0]).toContain('has changed since it was listed');
      const next = await scene.send(load('edited'), { opts, sessionId: turn.sessionId });
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
      const turn = await scene.send(
        `${load('later')} [[tool=bash {"command":"echo ran >> later.txt"} step=2]]`,
        { opts, persona: 'SHELL' },
      );
      await scene.stopped();
      await writeFile(
        path.join(root, 'skills', 'later', 'SKILL.md'),
        '---\nname: later\ndescription: Free.\n---\nFree.',
      );
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['success', 'denied']);
      expect(await scene.runs()).toBe(0);
    },
  },
};

describe('kill -9 while a skill is loaded', () => {
  let series: CrashSeries;
  beforeAll(async () => {
    root = await instructionRootWith({ SHELL: ['auto_approve_tools: [bash]'] });
    await put('whole', 'Whole.');
    await put('edited', 'Edited.');
    await put('later', 'Later.');
    series = new CrashSeries({
      points,
      kills: 1,
      environment: { TURNPIKE_INSTRUCTION_ROOT: root },
    });
    await series.open();
  }, 300_000);
  afterAll(async () => {
    await series.close();
    await rm(root, { recursive: true, force: true });
  });

  it.each(Object.entries(points).map(([tag, { line }]) => [line, tag]))('%s', (_line, tag) =>
    series.finish(tag),
  );
});
