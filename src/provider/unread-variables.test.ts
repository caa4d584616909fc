import { describe, expect, it } from '@jest/globals';
import { cloudVariables } from '../config/variables/cloud-variables.js';
import { variables } from '../config/variables.js';
import { unreadVariables, warnOfUnread } from './unread-variables.js';

const set = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'set']));

describe('variables that other programs for Claude read', () => {
  it('are named with the setting to use', () => {
    const warned: [object, string][] = [];
    const environment = set('ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY', 'HOME');
    warnOfUnread(environment, 'anthropic', {
      warn: (facts: object, line: string) => warned.push([facts, line]),
    });
    expect(warned).toEqual([
      [
        {
          variable: 'ANTHROPIC_BASE_URL',
          instead: expect.stringMatching(/TURNPIKE_PROVIDER_BASE_URL.*TURNPIKE_EGRESS_ALLOW/),
        },
        'Turnpike does not read this variable of the environment; `instead` says what to set',
      ],
    ]);
  });

  it('are named also where no setting is like them, unless they are empty', () => {
    const environment = { ...set('ANTHROPIC_OF_TOMORROW'), ANTHROPIC_MODEL: '' };
    expect(unreadVariables(environment)).toEqual([
      {
        variable: 'ANTHROPIC_OF_TOMORROW',
        instead: 'no setting is like it; of these variables ANTHROPIC_API_KEY alone is read',
      },
    ]);
  });

  it('of a cloud name its profile, unless that is set', () => {
    const environment = set('ANTHROPIC_VERTEX_PROJECT_ID', 'CLAUDE_CODE_USE_BEDROCK');
    expect(unreadVariables(environment)).toEqual([
      {
        variable: 'ANTHROPIC_VERTEX_PROJECT_ID',
        instead: 'set TURNPIKE_PROVIDER_PROFILE=vertex, if turns are to go there',
      },
      {
        variable: 'CLAUDE_CODE_USE_BEDROCK',
        instead: 'set TURNPIKE_PROVIDER_PROFILE=bedrock, if turns are to go there',
      },
    ]);
    expect(unreadVariables(environment, 'vertex').map(({ variable }) => variable)).toEqual([
      'CLAUDE_CODE_USE_BEDROCK',
    ]);
  });

  it('lead to settings that exist, and no setting is reported', () => {
    const known: string[] = Object.values(variables).flatMap(({ names }) => names);
    const told = unreadVariables(
      set(
        'ANTHROPIC_AUTH_TOKEN',
        'ANTHROPIC_BASE_URL',
        'ANTHROPIC_CUSTOM_HEADERS',
        'ANTHROPIC_LOG',
        'ANTHROPIC_MODEL',
        'ANTHROPIC_SMALL_FAST_MODEL',
      ),
    );
    const named = told.flatMap(
      ({ instead }) => instead.match(/(?:TURNPIKE|ANTHROPIC)_[A-Z_]+/g) ?? [],
    );
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    const ofClouds = Object.values(cloudVariables).flatMap(({ names }) => names);
    const others = known.filter((name) => !ofClouds.some((of) => of === name));
    expect(unreadVariables(set(...others))).toEqual([]);
  });
});
