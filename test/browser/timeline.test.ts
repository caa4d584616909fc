import { describe, expect, it } from '@jest/globals';
import { expectSoon } from '../support/expect-soon.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { takePicture } from './open-console.js';
import { useConsole } from './use-console.js';

describe('the timeline of a turn', () => {
  const on = useConsole(async () => {
    const root = instructionRootWith({
      LEAD: ['subagents: [TASKER]', 'AGENT_TYPE: 1', 'tools: [read]'],
      TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK'],
    });
    return {
      environment: { TURNPIKE_INSTRUCTION_ROOT: root, TURNPIKE_ENABLE_SUBAGENTS: 'true' },
    };
  });

  async function start(message: string) {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot, { persona: 'LEAD' });
    const subagentGovernance = {
      contextSealed: true,
      pipelineRunApproved: true,
      approvalRef: 'CHG-1',
    };
    const stream = await client.turn(sessionId, message, {
      opts: { subagentGovernance, onDisconnect: 'continue', agentConfig: { token_budget: 20_000 } },
    });
    return { stream, turnId: stream.header('x-turn-id') };
  }

  it('has its steps, calls and subagents, its budgets and its events', async () => {
    const task = '[[tool=task {"agent":"TASKER","prompt":"Say [[tokens=40 gap=10]]"}]]';
    const { stream, turnId } = await start(`${task} [[tokens=30 gap=10]]`);
    await stream.all();
    const { page, faults } = await on.console.visit(`/turns/${turnId}`);
    const bars = page.getByRole('table', { name: 'What the turn did' });
    await bars.getByRole('rowheader', { name: 'Step 2' }).waitFor();
    const rows = await bars.getByRole('rowheader').allInnerTexts();
    expect(rows).toEqual(
      expect.arrayContaining(['Step 1', 'Model call', 'task', 'TASKER', 'Step 2']),
    );
    const tokens = page.getByRole('meter', { name: 'Token limit' });
    expect(await tokens.getAttribute('aria-valuemax')).toBe('20000');
    expect(Number(await tokens.getAttribute('aria-valuenow'))).toBeGreaterThan(100);
    await page.getByRole('img', { name: /Tokens of the context after each of 2 steps/ }).waitFor();
    await takePicture(page, 'timeline-subagent-light');

    await page.getByLabel('Filter events').fill('turn.ended');
    const events = page.getByRole('table', { name: 'Events of the turn' });
    await events.getByText('turn.ended', { exact: true }).waitFor();
    expect(await events.getByText('turn.started', { exact: true }).count()).toBe(0);
    await bars.getByRole('link', { name: 'TASKER' }).click();
    await page.getByRole('link', { name: 'Parent' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('says what was paid for again, and why', async () => {
    const { client, projectRoot } = on.server;
    const sessionId = await client.createSession(projectRoot);
    const long = `Read this. ${'All work and no play. '.repeat(400)}`;
    await (await client.turn(sessionId, long, { opts: { model: 'claude-opus-5-5' } })).all();
    const stream = await client.turn(sessionId, 'Now?', { opts: { model: 'claude-haiku-5-5' } });
    await stream.all();
    const { page, faults } = await on.console.visit(`/turns/${stream.header('x-turn-id')}`);
    await page.getByRole('heading', { name: 'Paid for again' }).waitFor();
    await page.getByText(/another model was called than before/).waitFor();
    expect(faults).toEqual([]);
  });

  it('says which call failed', async () => {
    const { stream, turnId } = await start('[[tool=read {"file_path":"gone.txt"}]]');
    await stream.all();
    const { page } = await on.console.visit(`/turns/${turnId}`);
    const bars = page.getByRole('table', { name: 'What the turn did' });
    const failed = bars.getByRole('rowheader').filter({ hasText: 'read' }).getByText('failed');
    // For eyes too: what readers alone are told has one pixel.
    expect((await failed.boundingBox())?.width).toBeGreaterThan(10);
  });

  it('grows while the turn runs, which can be stopped from there', async () => {
    const { turnId } = await start('[[tokens=3000 gap=20]]');
    const { page } = await on.console.visit(`/turns/${turnId}`);
    await page.getByRole('button', { name: 'Deltas' }).click();
    const count = page.getByRole('region', { name: 'Events' }).getByText(/^\d+ of \d+$/);
    const shown = async () => Number((await count.innerText()).split(' ')[0]);
    const first = await shown();
    await expectSoon(async () => expect(await shown()).toBeGreaterThan(first + 20));
    await page.getByRole('button', { name: 'Stop' }).click();
    await page
      .getByText(/interrupted/)
      .first()
      .waitFor();
  });

  it('that is not there says so once', async () => {
    const nowhere = '/turns/turn_00000000-0000-4000-8000-000000000000';
    const { page } = await on.console.visit(nowhere);
    await page.getByRole('alert').getByText('TURN_NOT_FOUND').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await page.getByText('0 tokens').count()).toBe(0);
  });
});
