import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { ChatPage } from './chat-page.js';
import { takePicture } from './open-console.js';
import { problemsOf, widthOf } from './page-problems.js';
import { useConsole } from './use-console.js';

async function putSkill(folder: string, description: string, body: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const fields = `name: ${path.basename(folder)}\ndescription: ${description}`;
  await writeFile(path.join(folder, 'SKILL.md'), `---\n${fields}\n---\n${body}\n`);
}

describe('skills', () => {
  let root = '';
  const on = useConsole(async () => {
    root = instructionRootWith({ READER: ['tools: [read]'] });
    await putSkill(path.join(root, 'skills/release-notes'), 'Writes notes.', 'Be brief.');
    await writeFile(path.join(root, 'skills/release-notes/style.md'), 'Use the past tense.');
    await putSkill(path.join(root, 'agents/READER/skills/archive'), 'Reads old files.', 'Look.');
    return { environment: { TURNPIKE_INSTRUCTION_ROOT: root, TURNPIKE_PROJECT_SKILLS: 'true' } };
  });

  it('that are loaded are named in the conversation, with their instructions', async () => {
    const { page, faults } = await on.console.visit();
    const chat = new ChatPage(page);
    await chat.begin(
      on.server.projectRoot,
      'Notes [[tool=load_skill {"name":"release-notes"}]] [[tool=read_skill_file {"name":"release-notes","path":"style.md"} step=2]]',
    );
    await chat.status('Done');
    const loaded = chat.tool('load_skill');
    expect(await loaded.innerText()).toMatch(/^Skill\s+release-notes/);
    await loaded.getByRole('button').first().click();
    expect(await loaded.getByLabel('Output').innerText()).toContain('Be brief.');
    const file = chat.tool('read_skill_file');
    expect(await file.innerText()).toMatch(/^Skill’s file\s+release-notes\/style\.md/);
    await file.getByRole('button').first().click();
    expect(await file.getByLabel('Output').innerText()).toContain('Use the past tense.');
    for (const card of [loaded, file]) expect(await card.innerText()).not.toContain('"name"');
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, 'skills-light');
    await page.reload();
    expect(await loaded.innerText()).toMatch(/^Skill\s+release-notes/);
    expect(faults).toEqual([]);
  });

  it('of an agent and of a project are listed with their levels', async () => {
    const { client, projectRoot } = on.server;
    await putSkill(path.join(projectRoot, '.claude/skills/deploy'), 'Deploys it.', 'Carefully.');
    await putSkill(path.join(projectRoot, '.claude/skills/release-notes'), 'Its own.', 'Hidden.');
    await client.createSession(projectRoot, { persona: 'READER' });
    const { page, faults } = await on.console.visit('/agents');
    const skills = page.getByRole('list', { name: 'Skills', exact: true });
    await skills.getByText('Writes notes.').waitFor();
    expect(await skills.getByRole('listitem').count()).toBe(1);
    await page.getByLabel('Whose skills').selectOption(`in ${projectRoot}`);
    await skills.getByText('Deploys it.').waitFor();
    const hidden = skills.getByRole('listitem').filter({ hasText: 'Its own.' });
    expect(await hidden.innerText()).toContain('hidden by one of the server');
    await skills.getByText('Reads old files.').waitFor();

    await page.getByText('Skills of READER', { exact: true }).click();
    const own = page.getByRole('list', { name: 'Skills of READER' });
    await own.getByText('Reads old files.').waitFor();
    expect(await own.innerText()).toContain('agent');
    expect(await problemsOf(page)).toEqual([]);
    await takePicture(page, 'agents-skills-light');
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await widthOf(page)).toBeLessThanOrEqual(400);
    await takePicture(page, 'agents-skills-narrow');
    // A long description shows its beginning first.
    await page.getByRole('button', { name: 'more', exact: true }).first().click();
    await page.getByRole('button', { name: 'less', exact: true }).click();
    await takePicture(page, 'agents-tools-narrow');
    expect(faults).toEqual([]);
  });
});
