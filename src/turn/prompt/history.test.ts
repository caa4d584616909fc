import { describe, expect, it } from '@jest/globals';
import type { StoredPart } from '../../storage/shapes/stored-step.js';
import type { PastTurn } from '../state/past-turn.js';
import { sentTurns } from './history.js';

interface Asked {
  text: string;
  status?: PastTurn['turn']['status'];
  leftOut?: PastTurn['turn']['leftOut'];
}

const words = (text: string): StoredPart[] => [{ type: 'text', text }];
const steps: PastTurn['steps'] = [];

/** The texts that are sent of turns, each without a step. */
function sentOf(asked: readonly Asked[], next: string): string[] {
  const turns = asked.map(({ text, status = 'failed', leftOut = null }) => ({
    turn: { status, leftOut } as PastTurn['turn'],
    userParts: words(text),
    steps,
    steered: [],
  }));
  return sentTurns(turns, words(next)).flatMap(({ userParts }) =>
    userParts.map((part) => (part.type === 'text' ? part.text : '')),
  );
}

describe('sentTurns', () => {
  it('sends of a question that failed and was asked again the last try', () => {
    expect(sentOf([{ text: 'a' }, { text: 'a' }], 'a')).toEqual([]);
    expect(sentOf([{ text: 'a' }, { text: 'a' }], 'b')).toEqual(['a']);
    expect(sentOf([{ text: 'a' }, { text: 'b' }, { text: 'a' }], 'a')).toEqual(['a', 'b']);
  });

  it('sends a question that was answered as often as it was asked', () => {
    expect(sentOf([{ text: 'a', status: 'completed' }, { text: 'a' }], 'a')).toEqual(['a']);
  });

  it('passes over what was left out for good', () => {
    expect(sentOf([{ text: 'a' }, { text: 'b', leftOut: 'refused' }], 'a')).toEqual([]);
  });
});
