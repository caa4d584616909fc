import { describe, expect, it } from '@jest/globals';
import { getProjectPrompt, isOfProject, listProjectPrompts } from './project-prompts.js';

const prompts = [
  {
    name: 'fix',
    description: 'Fixes.',
    hint: '[issue]',
    arguments: ['issue', 'how'],
    template: 'Fix $issue: $how.',
  },
  { name: 'tidy', description: 'Tidies.', arguments: [], template: 'Tidy up.' },
];
const get = (name: string, given?: Record<string, string>): string =>
  getProjectPrompt(prompts, { server: 'project', name, ...(given && { arguments: given }) });

describe('the commands of a project', () => {
  it('are listed beside the prompts of MCP servers', () => {
    expect(listProjectPrompts(prompts)[0]).toEqual({
      server: 'project',
      name: 'fix',
      title: null,
      description: 'Fixes.',
      arguments: [
        { name: 'arguments', description: '[issue]', required: false },
        { name: 'issue', description: null, required: false },
        { name: 'how', description: null, required: false },
      ],
    });
  });

  it.each([
    [{ arguments: '17 quickly' }, 'Fix 17: quickly.'],
    [{ issue: '17', how: 'with care' }, 'Fix 17: with care.'],
    [{ how: 'well' }, 'Fix : well.'],
    [undefined, 'Fix : .'],
  ])('are filled in with %j', (given, text) => {
    expect(get('fix', given)).toBe(text);
  });

  it('are refused by name, with those there are', () => {
    expect(() => get('none')).toThrow(
      'The command none of the project cannot be used: the project has fix, tidy.',
    );
    expect(() => get('tidy', { issue: '1' })).toThrow(
      'it takes no argument issue; it takes arguments.',
    );
  });

  it('count in sessions that take the files of their project', () => {
    const choice = { server: 'project' };
    const [takes, takesNone] = [{ projectFiles: 'claude' }, { projectFiles: null }] as const;
    const [on, off] = [{ projectFiles: 'sessions' }, { projectFiles: 'none' }] as const;
    expect(isOfProject(choice, takes, on)).toBe(true);
    expect(isOfProject(choice, takesNone, on)).toBe(false);
    expect(isOfProject(choice, takes, off)).toBe(false);
    expect(isOfProject({ server: 'other' }, takes, on)).toBe(false);
    expect(isOfProject(undefined, takes, on)).toBe(false);
  });
});
