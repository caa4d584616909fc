import { describe, expect, it } from '@jest/globals';
import { convertSkill, fillPrompt } from './convert-skill.js';

const convert = (fields: string, body = 'Do it.', kind: 'skill' | 'command' = 'skill') =>
  convertSkill(
    { text: `---\n${fields}\n---\n\n${body}\n` },
    { file: 'f.md', name: 'deploy', kind },
  );

describe('a skill of a project', () => {
  it('is a skill and a prompt of the folder’s name', () => {
    const { skill, prompt, findings } = convert(
      'name: Other\ndescription: Deploys.\nwhen_to_use: When asked.',
    );
    expect(skill).toMatchObject({
      name: 'deploy',
      description: 'Deploys. When asked.',
      body: 'Do it.',
    });
    expect(prompt).toMatchObject({ name: 'deploy', template: 'Do it.' });
    expect(findings[0]).toMatchObject({ verdict: 'same', how: 'a skill, and the prompt /deploy' });
  });

  it('has its first line as its description where it has none', () => {
    expect(convert('license: MIT', '# How to deploy\n\nSteps.').skill?.description).toBe(
      'How to deploy',
    );
  });

  it.each([
    ['disable-model-invocation: true', false, true],
    ['user-invocable: false', true, false],
    ['disable-model-invocation: true\nuser-invocable: false', false, false],
  ])('with %s is for whom it says', (field, isForModel, isForPeople) => {
    const { skill, prompt } = convert(`description: D.\n${field}`);
    expect([skill !== undefined, prompt !== undefined]).toEqual([isForModel, isForPeople]);
  });

  it('has the calls that it lists as the only ones', () => {
    const { skill, findings } = convert('description: D.\nallowed-tools: Read, Bash(git:*)');
    expect(skill?.allowedTools).toEqual(['read', 'bash(git *)']);
    expect(findings).toContainEqual(
      expect.objectContaining({ key: 'allowed-tools', verdict: 'differs' }),
    );
  });

  it.each(['context: fork', 'agent: x', 'hooks: {}', 'shell: bash', 'disallowed-tools: Bash'])(
    'with %s is refused as a whole',
    (field) => {
      const { skill, prompt, findings } = convert(`description: D.\n${field}`);
      expect([skill, prompt]).toEqual([undefined, undefined]);
      expect(findings.at(-1)).toMatchObject({ file: 'f.md', verdict: 'refused' });
    },
  );

  it.each(['Now: !`git status`', '```!\ngit status\n```'])(
    'that runs %j while it is read is refused',
    (body) => {
      const { skill, prompt, findings } = convert('description: D.', body);
      expect([skill, prompt]).toEqual([undefined, undefined]);
      expect(findings.at(-1)?.how).toContain('runs commands while it is read');
    },
  );
});

describe('a command of a project', () => {
  it('is a prompt alone', () => {
    const { skill, prompt } = convert(
      'description: Commits.\nargument-hint: "[msg]"',
      'Commit.',
      'command',
    );
    expect(skill).toBeUndefined();
    expect(prompt).toEqual({
      name: 'deploy',
      description: 'Commits.',
      hint: '[msg]',
      arguments: [],
      template: 'Commit.',
    });
  });

  it.each([
    ['Do $ARGUMENTS.', 'a "b c"', 'Do a "b c".'],
    ['First $1, then $2, not $3.', 'a "b c"', 'First a, then b c, not .'],
    ['Of $ARGUMENTS[1].', "a 'b c'", 'Of b c.'],
    ['Issue $issue at $place, $unknown.', '17 here', 'Issue 17 at here, $unknown.'],
    ['Nothing.', '17', 'Nothing.\n\nARGUMENTS: 17'],
    ['Nothing.', ' ', 'Nothing.'],
    ['$ARGUMENTS', '$1 $& $ARGUMENTS', '$1 $& $ARGUMENTS'],
  ])('%j with %j is %j', (template, given, filled) => {
    const prompt = { name: 'p', description: '', arguments: ['issue', 'place'], template };
    expect(fillPrompt(prompt, given)).toBe(filled);
  });
});
