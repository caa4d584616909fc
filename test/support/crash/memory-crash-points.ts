import { expect } from '@jest/globals';
import { FollowedTurn } from '../clients/followed-turn.js';
import { claim, result, secondStep, statusesOf, success } from './crash-lines.js';
import type { CrashScene } from './crash-scene.js';
import type { CrashPoint } from './crash-series.js';

const notes = (scene: CrashScene): string => `/memories/${scene.tag}.md`;
const create = (scene: CrashScene): string =>
  `[[tool=memory {"command":"create","path":"${notes(scene)}","file_text":"first"}]]`;
const insert = (scene: CrashScene): string =>
  `[[tool=memory {"command":"insert","path":"${notes(scene)}","insert_line":0,"insert_text":"more"}]]`;

/** Makes the scene's file. @returns its session's id. */
async function makeFile(scene: CrashScene): Promise<string> {
  const turn = await scene.send(create(scene), {
    tag: `${scene.tag}-make`,
    opts: { memory: true },
  });
  expect(await turn.exit()).toEqual(success);
  return turn.sessionId;
}

/** The recorded turn has the same message. */
const ofReplay = "new.turn_id in (select id from turns where request -> 'replay' is not null)";

async function content(scene: CrashScene): Promise<unknown> {
  const path = encodeURIComponent(notes(scene));
  const { body } = await scene.client.get(`/api/harness/memory/WORKING_ITEMS/file?path=${path}`);
  return (body['file'] as { content?: string } | undefined)?.content;
}

/** Lines of a write to a memory. An insert is the write that would show a second run. */
export const memoryPoints: Record<string, CrashPoint> = {
  unwritten: {
    line: 'before a call that writes to the memory is claimed: it writes, once',
    stops: [claim],
    async *play(scene) {
      const sessionId = await makeFile(scene);
      const turn = await scene.send(insert(scene), { sessionId, opts: { memory: true } });
      await scene.stopped();
      expect(await content(scene)).toBe('first');
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['success']);
      expect(await content(scene)).toBe('more\nfirst');
    },
  },
  written: {
    line: 'after a write to the memory, before its result is stored: it is written once, and its result is known',
    stops: [result],
    async *play(scene) {
      const sessionId = await makeFile(scene);
      const turn = await scene.send(insert(scene), { sessionId, opts: { memory: true } });
      await scene.stopped();
      expect(await content(scene)).toBe('more\nfirst');
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['success']);
      expect(turn.named('tool:result')[0]?.data['output']).toContain('has been edited');
      expect(await content(scene)).toBe('more\nfirst');
    },
  },
  remembered: {
    line: 'after a write to the memory, and the turn is asked to end meanwhile: the end tells its result',
    stops: [result],
    async *play(scene) {
      const sessionId = await makeFile(scene);
      const turn = await scene.send(insert(scene), { sessionId, opts: { memory: true } });
      await scene.stopped();
      await scene.client.post(`/api/harness/turns/${turn.turnId}/interrupt`, {});
      yield;
      expect(await turn.exit()).toMatchObject({ exitCode: 130 });
      expect(statusesOf(turn)).toEqual(['success']);
      expect(await content(scene)).toBe('more\nfirst');
    },
  },
  replayed: {
    line: 'before the result of a replay’s call is stored: it is the recorded one, and nothing is written again',
    stops: [{ ...result, when: `${result.when} and ${ofReplay}` }],
    async *play(scene) {
      const sessionId = await makeFile(scene);
      const recorded = await scene.send(insert(scene), { sessionId, opts: { memory: true } });
      expect(await recorded.exit()).toEqual(success);
      const path = `/api/harness/turns/${recorded.turnId}/replay`;
      const { status, body } = await scene.client.post(path, {});
      expect(status).toBe(202);
      await scene.stopped();
      yield;
      const made = body['turn'] as { turnId: string; sessionId: string };
      const replay = new FollowedTurn(made.sessionId, await scene.client.follow(made.turnId));
      expect(await replay.exit()).toEqual(success);
      const [first, again] = [recorded, replay].map((turn) => turn.named('tool:result'));
      expect(again).toHaveLength(1);
      expect(again?.[0]?.data['output']).toBe(first?.[0]?.data['output']);
      expect(await content(scene)).toBe('more\nfirst');
    },
  },
  noticed: {
    line: 'after the result of a write to the memory is stored: it is kept',
    stops: [secondStep],
    async *play(scene) {
      const turn = await scene.send(create(scene), { opts: { memory: true } });
      await scene.stopped();
      yield;
      expect(await turn.exit()).toEqual(success);
      expect(statusesOf(turn)).toEqual(['success']);
      expect(await content(scene)).toBe('first');
    },
  },
};
