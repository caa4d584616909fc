import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { typeSchemas } from '../fields/json-schemas.js';

const folder = new URL('../../../test/golden/', import.meta.url);

/** The component that describes a frame of each wire's recordings. */
const componentOf: Record<string, (event: string | undefined) => string> = {
  harness: (event = '') =>
    framesOf('HarnessFrames', event.replace(/^subagent:(?!start$|end$)/, '')),
  holodeck: (event = '') => framesOf('HolodeckFrames', event),
  oracle: () => '/components/schemas/OracleChunk',
  'ag-ui': () => '/components/schemas/AgUiEvent',
  'ai-sdk': () => '/components/schemas/AiSdkChunk',
};

function framesOf(component: string, event: string): string {
  return `/components/schemas/${component}/properties/${event}`;
}

interface Frame {
  event: string | undefined;
  data: string;
}

function framesIn(file: URL): Frame[] {
  const blocks = readFileSync(file, 'utf8').split('\n\n');
  return blocks
    .map((block) => ({
      event: /^event: (.*)$/m.exec(block)?.[1],
      data: /^data: (.*)$/m.exec(block)?.[1] ?? '',
    }))
    .filter(({ data }) => data !== '' && data !== '[DONE]');
}

describe('the schemas of streams', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ components: { schemas: typeSchemas } }, 'api');

  it.each(Object.keys(componentOf))('are those of every frame recorded of %s', (wire) => {
    const recordings = readdirSync(new URL(`${wire}/`, folder));
    const frames = recordings.flatMap((name) => framesIn(new URL(`${wire}/${name}`, folder)));
    expect(frames.length).toBeGreaterThan(50);
    for (const { event, data } of frames) {
      const matches = ajv.getSchema(`api#${componentOf[wire]?.(event)}`);
      void matches?.(JSON.parse(data));
      expect([event, data, matches?.errors]).toEqual([event, data, null]);
    }
  });

  it('are those of every event in the log of a recorded turn', () => {
    const matches = ajv.compile({ $ref: 'api#/components/schemas/TurnEvent' });
    for (const name of readdirSync(new URL('events/', folder))) {
      const events = JSON.parse(
        readFileSync(new URL(`events/${name}`, folder), 'utf8'),
      ) as unknown[];
      for (const event of events) {
        matches(event);
        expect([event, matches.errors]).toEqual([event, null]);
      }
    }
  });

  it('refuse a frame that lacks a field', () => {
    const matches = ajv.compile({ $ref: `api#${framesOf('HarnessFrames', 'chat:delta')}` });
    expect(matches({ step: 1, text: 'Hi' })).toBe(true);
    expect(matches({ text: 'Hi' })).toBe(false);
  });
});
