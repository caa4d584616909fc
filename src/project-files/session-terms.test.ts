import { describe, expect, it } from '@jest/globals';
import { noSettings, type ProjectSettings } from './convert-settings.js';
import { addProject, type SessionTerms } from './session-terms.js';

const nothing: SessionTerms = { permissions: null, mcpServers: null };
const trusted = { isTrusted: true, mayAllow: true };
const foreign = { isTrusted: false, mayAllow: true };

const of = (settings: Partial<ProjectSettings>, servers = {}) => ({
  settings: { ...noSettings(), ...settings },
  servers,
});

describe('the terms of a session in a project', () => {
  it.each([
    ['a trusted folder', trusted, ['bash(ls)']],
    ['another folder', foreign, undefined],
    [
      'a trusted folder of a server without rules that allow',
      { isTrusted: true, mayAllow: false },
      undefined,
    ],
  ])('have rules that allow in %s', (_where, trust, allow) => {
    const { permissions } = addProject(
      nothing,
      of({ allow: ['bash(ls)'], deny: ['bash(rm)'] }),
      trust,
    );
    expect([permissions?.allow, permissions?.deny]).toEqual([allow, ['bash(rm)']]);
  });

  it('put the rules of the request before those of the project, each once', () => {
    const given = { ...nothing, permissions: { deny: ['read', 'grep'] } };
    const { permissions } = addProject(given, of({ deny: ['grep', 'glob'] }), foreign);
    expect(permissions?.deny).toEqual(['read', 'grep', 'glob']);
  });

  it('always ask before the files are written that they came from', () => {
    expect(addProject(nothing, of({}), foreign).permissions).toEqual({
      ask: ['edit(.claude/**)', 'edit(.mcp.json)', 'write(.claude/**)', 'write(.mcp.json)'],
    });
  });

  it.each([
    ['plan', foreign, 'plan'],
    ['dontAsk', foreign, 'dontAsk'],
    ['direct', foreign, undefined],
    ['acceptEdits', foreign, undefined],
    ['acceptEdits', trusted, 'acceptEdits'],
    ['acceptEdits', { isTrusted: true, mayAllow: false }, undefined],
  ] as const)(
    'have the mode %s of the project where that allows nothing, or is trusted (%j)',
    (mode, trust, taken) => {
      expect(addProject(nothing, of({ mode }), trust).mode).toBe(taken);
      expect(addProject({ ...nothing, mode: 'direct' }, of({ mode }), trust).mode).toBe('direct');
    },
  );

  it('have its servers, those that are commands in a trusted folder', () => {
    const servers = { docs: { url: 'https://a.example' }, local: { command: 'x' } };
    const given = { ...nothing, mcpServers: { docs: { url: 'https://own.example' } } };
    expect(addProject(given, of({}, servers), foreign).mcpServers).toEqual(given.mcpServers);
    expect(addProject(given, of({}, servers), trusted).mcpServers).toEqual({
      ...servers,
      ...given.mcpServers,
    });
    expect(addProject(nothing, of({}), trusted).mcpServers).toBeNull();
  });
});
