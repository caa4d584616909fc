import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { agentShape } from './agent-shape.js';
import { parseAgentFile } from './parse-agent-file.js';

const names = ['name', 'tools', 'max_turns', 'permissions', 'limits', 'subagents', 'mcp_servers'];
const inner = ['mode', 'allow', 'deny', 'max_iterations', 'docs', 'url', 'command', 'effort'];
const scalar = fc.oneof(
  fc.constantFrom(
    'plan',
    'read',
    'bash(git *)',
    'bash(',
    'read, bash(',
    'https://x.y',
    '',
    ' ',
    'high',
  ),
  fc.integer({ min: -2, max: 60 }),
  fc.boolean(),
  fc.constant(null),
  fc.string(),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, scalar, tie('list'), tie('map')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  map: fc.dictionary(fc.oneof(fc.constantFrom(...inner), fc.string()), tie('any'), { maxKeys: 4 }),
})).any;
const front = fc.dictionary(
  fc.oneof(fc.constantFrom(...names, 'thinking', 'AGENT_TYPE', 'disallowed_tools'), fc.string()),
  value,
  { maxKeys: 6 },
);

it('takes any front matter: what is wrong is named by its line and left out, and nothing else', () => {
  fc.assert(
    fc.property(front, (fields) => {
      const file = `---\n${stringify(fields)}---\nPrompt`;
      const { content, references } = parseAgentFile(file);
      const last = file.split('\n').length;
      for (const { line, message } of content.problems) {
        expect(line).toBeGreaterThan(0);
        expect(line).toBeLessThanOrEqual(last);
        expect(message).not.toMatch(/\[object|undefined/);
      }
      for (const { line } of references) expect(line).toBeLessThanOrEqual(last);
      // A file without problems has nothing that the shape refuses.
      if (content.problems.length === 0) {
        expect(Object.keys(fields).every((key) => key in agentShape.def.out.shape)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
