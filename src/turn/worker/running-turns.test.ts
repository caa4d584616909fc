import { describe, expect, it } from '@jest/globals';
import { Lease } from '../state/lease.js';
import { RunningTurns } from './keep-lease.js';

describe('RunningTurns', () => {
  const beaten: string[] = [];
  const running = (name: string) => ({
    lease: new Lease(),
    beat: async () => void beaten.push(name),
  });

  it('finds a turn by its id', () => {
    const turns = new RunningTurns();
    turns.add('turn', running('a'));
    turns.beat('turn');
    turns.beat('other');
    expect(beaten.splice(0)).toEqual(['a']);
  });

  it('keeps the next attempt when the one before it goes', () => {
    const turns = new RunningTurns();
    const leave = turns.add('turn', running('first'));
    turns.add('turn', running('second'));
    leave();
    leave();
    turns.beat('turn');
    expect(beaten.splice(0)).toEqual(['second']);
  });

  it('ends the lease of every one', () => {
    const turns = new RunningTurns();
    const all = [running('a'), running('b')];
    all.forEach((one, index) => turns.add(`turn ${index}`, one));
    turns.endAll('shutdown');
    expect(all.map(({ lease }) => lease.reason)).toEqual(['shutdown', 'shutdown']);
  });
});
